{{/* "true" if the release includes the evaluation's Postgres. */}}
{{- define "tollgate.ownPostgres" -}}
{{- if and .Values.evaluation.enabled (not .Values.postgres.url) (not .Values.postgres.existingSecret) }}true{{ end }}
{{- end }}

{{/* "true" if the release includes the evaluation's Redis. */}}
{{- define "tollgate.ownRedis" -}}
{{- if and .Values.evaluation.enabled (not .Values.redis.url) (not .Values.redis.existingSecret) }}true{{ end }}
{{- end }}

{{/* "true" if the simulated provider's catalogue is used: an evaluation for which no catalogue is set. */}}
{{- define "tollgate.simulated" -}}
{{- if and .Values.evaluation.enabled (not .Values.catalogue.inline) (not .Values.catalogue.existingConfigMap) }}true{{ end }}
{{- end }}

{{/* "true" if the release includes the simulated provider. */}}
{{- define "tollgate.ownSimulator" -}}
{{- if or (include "tollgate.simulated" .) (and .Values.evaluation.enabled .Values.evaluation.simulator.always) }}true{{ end }}
{{- end }}

{{/* Name of the evaluation's Secret; see evaluation/secret.yaml. */}}
{{- define "tollgate.evaluationSecret" -}}
{{ include "tollgate.name" (list . "evaluation") }}
{{- end }}

{{/* The variable DATABASE_URL. */}}
{{- define "tollgate.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      {{- if .Values.postgres.existingSecret }}
      name: {{ .Values.postgres.existingSecret }}
      key: {{ .Values.postgres.secretKey }}
      {{- else if .Values.postgres.url }}
      name: {{ include "tollgate.name" (list . "postgres-url") }}
      key: url
      {{- else }}
      name: {{ include "tollgate.evaluationSecret" . }}
      key: postgres-url
      {{- end }}
{{- end }}

{{/* The variable REDIS_URL. */}}
{{- define "tollgate.redisUrl" -}}
- name: REDIS_URL
  valueFrom:
    secretKeyRef:
      {{- if .Values.redis.existingSecret }}
      name: {{ .Values.redis.existingSecret }}
      key: {{ .Values.redis.secretKey }}
      {{- else if .Values.redis.url }}
      name: {{ include "tollgate.name" (list . "redis-url") }}
      key: url
      {{- else }}
      name: {{ include "tollgate.evaluationSecret" . }}
      key: redis-url
      {{- end }}
{{- end }}

{{/* Name of the ConfigMap with the catalogue. */}}
{{- define "tollgate.catalogueConfigMap" -}}
{{- .Values.catalogue.existingConfigMap | default (include "tollgate.name" (list . "catalogue")) }}
{{- end }}
