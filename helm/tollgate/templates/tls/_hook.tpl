{{/* Annotations of what makes the certificates, of a weight: everything is gone again once all hooks have succeeded. */}}
{{- define "tollgate.certificatesHook" -}}
annotations:
  helm.sh/hook: pre-install,pre-upgrade
  helm.sh/hook-weight: {{ . | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
