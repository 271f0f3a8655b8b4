{{/*
A program that works on the database. It is never scheduled: an operator creates a Job from it. Takes
(list $ "archive" (list "node" "…/archive.ts") <variables with URLs of Postgres>).
*/}}
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
            - name: {{ index . 1 }}
              image: {{ include "tollgate.image" (list $ "cli") }}
              imagePullPolicy: {{ $.Values.image.pullPolicy }}
              command: {{ index . 2 | toJson }}
              env:
                - name: LOG_LEVEL
                  value: {{ $.Values.logLevel }}
                {{- index . 3 | nindent 16 }}
                {{- include "tollgate.caBundleEnv" $ | nindent 16 }}
              resources:
                {{- toYaml $.Values.migrations.resources | nindent 16 }}
              {{- include "tollgate.containerSecurity" $ | nindent 14 }}
              {{- with $.Values.caBundle.existingConfigMap }}
              volumeMounts:
                - { name: ca-bundle, mountPath: /etc/tollgate/ca-bundle, readOnly: true }
          volumes:
            - name: ca-bundle
              configMap: { name: {{ . }} }
              {{- end }}
{{- end }}
