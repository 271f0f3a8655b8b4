{{/* Variables of the command line. */}}
{{- define "tollgate.cliEnv" -}}
- name: AUTH_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "auth") }}
- name: LEDGER_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "ledger") }}
- name: ROUTER_ADDRESS
  value: {{ include "tollgate.grpcAddress" (list . "router") }}
{{- include "tollgate.clientEnv" . }}
{{- end }}
