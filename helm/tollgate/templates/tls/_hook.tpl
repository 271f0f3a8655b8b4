{{/* Annotations of the objects that create certificates, deleted once all hooks have succeeded. Takes the hook weight. */}}
{{- define "tollgate.certificatesHook" -}}
annotations:
  helm.sh/hook: pre-install,pre-upgrade
  helm.sh/hook-weight: {{ . | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
