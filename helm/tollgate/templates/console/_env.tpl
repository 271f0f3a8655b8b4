{{/* Public URL of the console; an evaluation has one for `kubectl port-forward`. */}}
{{- define "tollgate.consoleUrl" -}}
{{- if .Values.console.enabled }}
{{- .Values.console.url | default (ternary "http://127.0.0.1:8070" "" .Values.evaluation.enabled) | trimSuffix "/" }}
{{- end }}
{{- end }}

{{/* Public base URL of the gateway, as clients use it. */}}
{{- define "tollgate.baseUrl" -}}
{{- if .Values.console.baseUrl }}
{{- .Values.console.baseUrl }}
{{- else if and .Values.expose.ingress.enabled .Values.expose.ingress.hosts }}
{{- ternary "https" "http" (ne .Values.expose.ingress.tlsSecret "") }}://{{ first .Values.expose.ingress.hosts }}
{{- else if and .Values.expose.httpRoute.enabled .Values.expose.httpRoute.hostnames }}
{{- print "https://" (first .Values.expose.httpRoute.hostnames) }}
{{- else }}
{{- printf "http://%s.%s:%d" (include "tollgate.name" (list . "ingress")) .Release.Namespace (int .Values.expose.service.port) }}
{{- end }}
{{- end }}

{{/* Variables of the console. */}}
{{- define "tollgate.consoleEnv" -}}
{{ include "tollgate.shutdownGrace" (sub .Values.console.terminationGracePeriodSeconds .Values.console.preStopSeconds) }}
- name: PORT
  value: "8070"
- name: CONSOLE_URL
  value: {{ include "tollgate.consoleUrl" . | quote }}
- name: BASE_URL
  value: {{ include "tollgate.baseUrl" . | quote }}
- name: GATEWAY_URL
  value: http://{{ include "tollgate.name" (list . "ingress") }}:{{ .Values.expose.service.port }}
- name: AUTH_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "auth") }}
- name: LEDGER_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "ledger") }}
- name: ROUTER_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "router") }}
{{- if .Values.payments.enabled }}
- name: PAYMENTS_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "payments") }}
{{- end }}
{{ include "tollgate.databaseUrl" (list . "console") }}
- name: DATABASE_POOL_SIZE
  value: {{ .Values.postgres.poolSize | quote }}
- name: SERVICE_NAME
  value: {{ .Values.serviceName }}
{{- with .Values.console }}
{{- if or .firstOperator.email $.Values.evaluation.enabled }}
- name: FIRST_OPERATOR_EMAIL
  value: {{ .firstOperator.email | default "operator@example.com" | quote }}
{{- end }}
{{- if or .firstOperator.existingSecret $.Values.evaluation.enabled }}
- name: FIRST_OPERATOR_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .firstOperator.existingSecret | default (include "tollgate.evaluationSecret" $) }}
      key: {{ ternary .firstOperator.secretKey "operator-password" (ne .firstOperator.existingSecret "") }}
{{- end }}
{{- if .oidc.issuer }}
- name: OIDC_ISSUER
  value: {{ .oidc.issuer | quote }}
- name: OIDC_CLIENT_ID
  value: {{ .oidc.clientId | quote }}
- name: OIDC_CLIENT_SECRET
  valueFrom:
    secretKeyRef: { name: {{ .oidc.existingSecret }}, key: {{ .oidc.secretKey }} }
{{- with .oidc.name }}
- name: OIDC_NAME
  value: {{ . | quote }}
{{- end }}
{{- with .oidc.join }}
- name: OIDC_JOIN
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- if .smtp.existingSecret }}
- name: SMTP_URL
  valueFrom:
    secretKeyRef: { name: {{ .smtp.existingSecret }}, key: {{ .smtp.secretKey }} }
- name: MAIL_FROM
  value: {{ .smtp.from | quote }}
{{- end }}
{{- with .company.name }}
- name: COMPANY_NAME
  value: {{ . | quote }}
{{- end }}
{{- with .company.address }}
- name: COMPANY_ADDRESS
  value: {{ join "\n" . | quote }}
{{- end }}
{{- with .company.taxId }}
- name: COMPANY_TAX_ID
  value: {{ . | quote }}
{{- end }}
{{- with .company.email }}
- name: COMPANY_EMAIL
  value: {{ . | quote }}
{{- end }}
{{- with .traceUrl }}
- name: TRACE_URL
  value: {{ . | quote }}
{{- end }}
{{- with .trustedProxies }}
- name: TRUSTED_PROXIES
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
