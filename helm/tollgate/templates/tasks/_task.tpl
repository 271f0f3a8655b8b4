{{/*
The container of a task on the database. Takes (list $ "<service>" "<task>" "<name>" <variables with URLs of Postgres>).
*/}}
{{- define "tollgate.taskContainer" -}}
{{- $ := index . 0 -}}
- name: {{ index . 3 }}
  image: {{ include "tollgate.image" (list $ (index . 1)) }}
  imagePullPolicy: {{ $.Values.image.pullPolicy }}
  command: [node, services/{{ index . 1 }}/dist/task.cjs, {{ index . 2 }}]
  env:
    - name: LOG_LEVEL
      value: {{ $.Values.logLevel }}
    {{- index . 4 | nindent 4 }}
    {{- include "tollgate.caBundleEnv" $ | nindent 4 }}
  resources:
    {{- toYaml $.Values.migrations.resources | nindent 4 }}
  {{- include "tollgate.containerSecurity" $ | nindent 2 }}
  {{- if $.Values.caBundle.existingConfigMap }}
  volumeMounts:
    - { name: ca-bundle, mountPath: /etc/tollgate/ca-bundle, readOnly: true }
  {{- end }}
{{- end }}

{{/* The containers that migrate the schemas, one for each service that has one. Takes (list $ "<Secret of the hook, or empty>"). */}}
{{- define "tollgate.migrations" -}}
{{- $ := index . 0 }}
{{- $secret := index . 1 }}
{{- $services := list "auth" "ledger" }}
{{- if $.Values.console.enabled }}{{ $services = append $services "console" }}{{ end }}
{{- if $.Values.payments.enabled }}{{ $services = append $services "payments" }}{{ end }}
{{- range $service := $services }}
{{ include "tollgate.taskContainer" (list $ $service "migrate" $service (include "tollgate.migrationUrls" (list $ $service $secret))) }}
{{- end }}
{{- end }}

{{/* The volumes of tasks. */}}
{{- define "tollgate.taskVolumes" -}}
{{- with .Values.caBundle.existingConfigMap }}
volumes:
  - name: ca-bundle
    configMap: { name: {{ . }} }
{{- end }}
{{- end }}

{{/* A task on the database. It is never scheduled: an operator creates a Job from it. Takes (list $ "archive" <containers>). */}}
{{- define "tollgate.task" -}}
{{- $ := index . 0 -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  {{- include "tollgate.metadata" (list $ "task" (index . 1)) | nindent 2 }}
spec:
  suspend: true
  schedule: "0 0 1 1 *"
  concurrencyPolicy: Forbid
  jobTemplate:
    metadata:
      labels:
        {{- include "tollgate.labels" (list $ "task") | nindent 8 }}
    spec:
      backoffLimit: 0
      # Keeps the log for a day.
      ttlSecondsAfterFinished: 86400
      template:
        metadata:
          labels:
            {{- include "tollgate.selectorLabels" (list $ "task") | nindent 12 }}
            {{- with $.Values.commonLabels }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        spec:
          restartPolicy: Never
          {{- include "tollgate.podSecurity" $ | nindent 10 }}
          containers:
            {{- index . 2 | trim | nindent 12 }}
          {{- include "tollgate.taskVolumes" $ | nindent 10 }}
{{- end }}
