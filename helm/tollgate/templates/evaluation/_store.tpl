{{/* The Service of the evaluation's Postgres or Redis. Takes (list $ "postgres" 5432). */}}
{{- define "tollgate.storeService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "tollgate.metadata" (list (index . 0) (index . 1)) | nindent 2 }}
spec:
  clusterIP: None
  selector:
    {{- include "tollgate.selectorLabels" . | nindent 4 }}
  ports:
    - { name: {{ index . 1 }}, port: {{ index . 2 }}, targetPort: {{ index . 1 }} }
{{- end }}

{{/* Metadata of its StatefulSet. Takes (list $ "postgres"). */}}
{{- define "tollgate.storeMetadata" -}}
{{ include "tollgate.metadata" . }}
annotations:
  tollgate/evaluation-only: A single instance without replicas and backups. Not for production.
{{- end }}

{{/* Security fields of its pod. Takes .Values.evaluation.postgres. */}}
{{- define "tollgate.storeSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ int64 .runAsUser }}
  runAsGroup: {{ int64 .runAsUser }}
  fsGroup: {{ int64 .runAsUser }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Its volume. Takes (list $ .Values.evaluation.postgres). */}}
{{- define "tollgate.storeVolume" -}}
{{- $ := index . 0 -}}
persistentVolumeClaimRetentionPolicy:
  whenScaled: Retain
  whenDeleted: {{ ternary "Retain" "Delete" $.Values.evaluation.keepData }}
volumeClaimTemplates:
  - metadata:
      name: data
    spec:
      accessModes: [ReadWriteOnce]
      {{- with (index . 1).storageClassName }}
      storageClassName: {{ . }}
      {{- end }}
      resources:
        requests: { storage: {{ (index . 1).storage }} }
{{- end }}

{{/* The contents of the evaluation's Secret in the cluster, as JSON; none before the first installation. */}}
{{- define "tollgate.keptSecrets" -}}
{{- $kept := dict }}
{{- range $key, $value := (lookup "v1" "Secret" .Release.Namespace (include "tollgate.evaluationSecret" .)).data }}
{{- $_ := set $kept $key ($value | b64dec) }}
{{- end }}
{{- $kept | toJson }}
{{- end }}

{{/*
The password of the evaluation's Postgres and the URLs of all logins, by key of a Secret. Passwords of services that are not
kept derive from the first, so that the hook and the release agree on them.
*/}}
{{- define "tollgate.evaluationPostgres" -}}
{{- $kept := include "tollgate.keptSecrets" . | fromJson }}
{{- $password := get $kept "postgres-password" | default (randAlphaNum 32) }}
{{- $place := printf "%s:5432/tollgate" (include "tollgate.name" (list . "postgres")) }}
postgres-password: {{ $password }}
postgres-url: postgres://tollgate:{{ $password }}@{{ $place }}
{{- $services := list "auth" "ledger" "console" }}
{{- range ternary (append $services "payments") $services .Values.payments.enabled }}
{{- $key := printf "postgres-%s-url" . }}
{{- $own := printf "%s/%s" $password . | sha256sum }}
{{ $key }}: {{ get $kept $key | default (printf "postgres://tollgate_%s:%s@%s" . $own $place) }}
{{- end }}
{{- end }}
