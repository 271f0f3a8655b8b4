{{/* Variables of the ingress. */}}
{{- define "tollgate.ingressEnv" -}}
{{ include "tollgate.shutdownGrace" .Values.ingress.terminationGracePeriodSeconds }}
- name: SHUTDOWN_LINGER_MS
  value: {{ mul 1000 .Values.ingress.preStopSeconds | quote }}
- name: PORT
  value: "8080"
- name: AUTH_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "auth") }}
- name: LEDGER_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "ledger") }}
- name: ROUTER_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "router") }}
{{ include "tollgate.redisUrl" . }}
- name: SERVICE_NAME
  value: {{ .Values.serviceName }}
- name: INGRESS_NAME
  valueFrom:
    fieldRef: { fieldPath: metadata.name }
- name: JOURNAL_DIR
  value: /var/lib/tollgate/journal
- name: JOURNAL_MAX_BYTES
  value: {{ int64 .Values.ingress.journal.maxBytes | quote }}
- name: RECHARGE_URL
  value: {{ .Values.ingress.rechargeUrl | default (printf "%s/top-up" (include "tollgate.consoleUrl" . | default "http://localhost:8080")) | quote }}
{{- with include "tollgate.consoleUrl" . }}
- name: CONSOLE_URL
  value: {{ . | quote }}
{{- end }}
- name: MAX_REQUEST_MS
  value: {{ int64 .Values.maxRequestMs | quote }}
- name: MAX_OPEN_REQUESTS
  value: {{ int64 .Values.ingress.maxOpenRequests | quote }}
- name: MAX_BODY_BYTES
  value: {{ int64 .Values.ingress.maxBodyBytes | quote }}
- name: SETTLE_BEFORE_END_MS
  value: {{ int64 .Values.ingress.settleBeforeEndMs | quote }}
{{- with .Values.ingress.trustedProxies }}
- name: TRUSTED_PROXIES
  value: {{ . | quote }}
{{- end }}
{{- with .Values.ingress.itemStore }}
{{- if or .existingSecret $.Values.evaluation.enabled }}
- name: ITEM_STORE_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret | default (include "tollgate.evaluationSecret" $) }}
      key: {{ ternary .secretKey "item-store-key" (ne .existingSecret "") }}
{{- end }}
{{- end }}
{{- range $name, $source := .Values.providers.env }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $source.existingSecret }}, key: {{ $source.secretKey }} }
{{- end }}
{{- end }}
