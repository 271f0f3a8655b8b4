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
