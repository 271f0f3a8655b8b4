{{/* "true" where the evaluation's own Postgres is part of the release. */}}
{{- define "tollgate.ownPostgres" -}}
{{- if and .Values.evaluation.enabled (not .Values.postgres.url) (not .Values.postgres.existingSecret) }}true{{ end }}
{{- end }}

{{/* "true" where the evaluation's own Redis is part of the release. */}}
{{- define "tollgate.ownRedis" -}}
{{- if and .Values.evaluation.enabled (not .Values.redis.url) (not .Values.redis.existingSecret) }}true{{ end }}
{{- end }}

{{/* "true" where the catalogue is that of the simulated provider: an evaluation without one of its own. */}}
{{- define "tollgate.simulated" -}}
{{- if and .Values.evaluation.enabled (not .Values.catalogue.inline) (not .Values.catalogue.existingConfigMap) }}true{{ end }}
{{- end }}

{{/* "true" where the simulated provider is part of the release. */}}
{{- define "tollgate.ownSimulator" -}}
{{- if or (include "tollgate.simulated" .) (and .Values.evaluation.enabled .Values.evaluation.simulator.always) }}true{{ end }}
{{- end }}

{{/* Where a variable comes from that the evaluation's secret holds; see evaluation/secret.yaml. */}}
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

{{/* The ConfigMap with the catalogue. */}}
{{- define "tollgate.catalogueConfigMap" -}}
{{- .Values.catalogue.existingConfigMap | default (include "tollgate.name" (list . "catalogue")) }}
{{- end }}
