{{/* "true" if the release includes the evaluation's Postgres. */}}
{{- define "tollgate.ownPostgres" -}}
{{- if and .Values.evaluation.enabled (not .Values.postgres.url) (not .Values.postgres.existingSecret) }}true{{ end }}
{{- end }}

{{/*
"true" if the migrations are a hook, which runs before the release changes anything and fails it. There is no Postgres before
the first installation of an evaluation: then they are an ordinary Job, and services are not ready until it is done.
*/}}
{{- define "tollgate.migratesInHook" -}}
{{- if not (and (include "tollgate.ownPostgres" .) .Release.IsInstall) }}true{{ end }}
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

{{/* "true" if a service has its own login of Postgres. Takes (list $ "auth"). */}}
{{- define "tollgate.hasOwnLogin" -}}
{{- $login := get (index . 0).Values.postgres.logins (index . 1) }}
{{- if or $login.url $login.existingSecret (include "tollgate.ownPostgres" (index . 0)) }}true{{ end }}
{{- end }}

{{/*
A variable with the URL of a login: of "admin", which migrates, or of a service that has its own. A hook takes it from its own
Secret, because those of the release may not have it yet. Takes (list $ "DATABASE_URL" "auth" "<Secret of the hook, or empty>").
*/}}
{{- define "tollgate.postgresUrl" -}}
{{- $ := index . 0 }}
{{- $login := index . 2 }}
{{- $given := get $.Values.postgres.logins $login | default $.Values.postgres }}
{{- $key := ternary "url" (printf "%s-url" $login) (eq $login "admin") -}}
- name: {{ index . 1 }}
  valueFrom:
    secretKeyRef:
      {{- if $given.existingSecret }}
      name: {{ $given.existingSecret }}
      key: {{ $.Values.postgres.secretKey }}
      {{- else if $given.url }}
      name: {{ index . 3 | default (include "tollgate.name" (list $ "postgres-url")) }}
      key: {{ $key }}
      {{- else }}
      name: {{ index . 3 | default (include "tollgate.evaluationSecret" $) }}
      key: postgres-{{ $key }}
      {{- end }}
{{- end }}

{{/* The variable DATABASE_URL of a service: with its own login, or with the only one. Takes (list $ "auth"). */}}
{{- define "tollgate.databaseUrl" -}}
{{- $login := ternary (index . 1) "admin" (eq (include "tollgate.hasOwnLogin" .) "true") }}
{{- include "tollgate.postgresUrl" (list (index . 0) "DATABASE_URL" $login "") }}
{{- end }}

{{/* The variables of the task that migrates a service. Takes (list $ "auth" "<Secret of the hook, or empty>"). */}}
{{- define "tollgate.migrationUrls" -}}
{{- $ := index . 0 }}
{{- $secret := index . 2 }}
{{- if include "tollgate.hasOwnLogin" . }}
{{- include "tollgate.postgresUrl" (list $ "DATABASE_URL" (index . 1) $secret) }}
{{ include "tollgate.postgresUrl" (list $ "ADMIN_DATABASE_URL" "admin" $secret) }}
{{- else }}
{{- include "tollgate.postgresUrl" (list $ "DATABASE_URL" "admin" $secret) }}
{{- end }}
{{- end }}

{{/* The URLs of Postgres in the values, by key of a Secret. */}}
{{- define "tollgate.postgresUrls" -}}
{{- with .Values.postgres.url }}
url: {{ . | quote }}
{{- end }}
{{- range $service, $login := .Values.postgres.logins }}
{{- with $login.url }}
{{ $service }}-url: {{ . | quote }}
{{- end }}
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
