{{/* Pods of the release as a list of peers. Takes (list $ "auth" "ledger"). */}}
{{- define "tollgate.peers" -}}
{{- $ := index . 0 }}
{{- range rest . }}
- podSelector:
    matchLabels:
      {{- include "tollgate.selectorLabels" (list $ .) | nindent 6 }}
{{- end }}
{{- end }}

{{/* A rule that allows pods of the release at one port. Takes (list $ "from" 50051 "ingress" "console"). */}}
{{- define "tollgate.ruleForPods" -}}
- {{ index . 1 }}:
    {{- include "tollgate.peers" (concat (list (index . 0)) (slice . 3)) | nindent 4 }}
  ports:
    - { protocol: TCP, port: {{ index . 2 }} }
{{- end }}

{{/* A rule from values; without peers it allows all. Takes (list "to" peers ports). */}}
{{- define "tollgate.ruleOf" -}}
- ports:
    {{- range index . 2 }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with index . 1 }}
  {{ index $ 0 }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* Egress of every service: DNS and the trace collector. */}}
{{- define "tollgate.commonEgress" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns | nindent 4 }}
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- if .Values.tracing.endpoint }}
{{ include "tollgate.ruleOf" (list "to" .Values.networkPolicy.tracing.to .Values.networkPolicy.tracing.ports) }}
{{- end }}
{{- end }}

{{/* Ingress for Prometheus. */}}
{{- define "tollgate.metricsIngress" -}}
{{- if and .Values.metrics.enabled .Values.networkPolicy.metrics }}
{{ include "tollgate.ruleOf" (list "from" .Values.networkPolicy.metrics (list .Values.metrics.port)) }}
{{- end }}
{{- end }}

{{/* Egress to Postgres. */}}
{{- define "tollgate.postgresEgress" -}}
{{- if include "tollgate.ownPostgres" . }}
{{- include "tollgate.ruleForPods" (list . "to" 5432 "postgres") }}
{{- else }}
{{- include "tollgate.ruleOf" (list "to" .Values.networkPolicy.postgres.to .Values.networkPolicy.postgres.ports) }}
{{- end }}
{{- end }}

{{/* Egress to Redis. */}}
{{- define "tollgate.redisEgress" -}}
{{- if include "tollgate.ownRedis" . }}
{{- include "tollgate.ruleForPods" (list . "to" 6379 "redis") }}
{{- else }}
{{- include "tollgate.ruleOf" (list "to" .Values.networkPolicy.redis.to .Values.networkPolicy.redis.ports) }}
{{- end }}
{{- end }}
