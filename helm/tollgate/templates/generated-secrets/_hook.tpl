{{/* The services with certificates, as a JSON list. */}}
{{- define "tollgate.tlsServices" -}}
{{- $services := list "ingress" "auth" "ledger" "router" }}
{{- if .Values.console.enabled }}{{ $services = append $services "console" }}{{ end }}
{{- if .Values.payments.enabled }}{{ $services = append $services "payments" }}{{ end }}
{{- $services | toJson }}
{{- end }}

{{/* "true" if the hook creates certificates between services. */}}
{{- define "tollgate.generatesCertificates" -}}
{{- if and .Values.tls.enabled (eq .Values.tls.source "generated") }}true{{ end }}
{{- end }}

{{/* "true" if there is a hook that creates secrets. */}}
{{- define "tollgate.generatesSecrets" -}}
{{- if or (include "tollgate.generatesCertificates" .) (not .Values.actorKeys.existingSecret) }}true{{ end }}
{{- end }}

{{/* Annotations of the objects that create secrets, deleted once all hooks have succeeded. Takes the hook weight. */}}
{{- define "tollgate.secretsHook" -}}
annotations:
  helm.sh/hook: pre-install,pre-upgrade
  helm.sh/hook-weight: {{ . | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
