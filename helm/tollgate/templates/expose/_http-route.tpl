{{/* An HTTPRoute of a service. Takes (list $ "ingress" .Values.expose.httpRoute port), and a path other than `/`. */}}
{{- define "tollgate.exposeByHttpRoute" -}}
{{- $ := index . 0 }}
{{- $service := index . 1 }}
{{- $port := index . 3 }}
{{- $path := ternary (last .) "/" (gt (len .) 4) }}
{{- with index . 2 -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "tollgate.metadata" (list $ $service) | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  parentRefs:
    {{- toYaml .parentRefs | nindent 4 }}
  {{- with .hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - matches:
        - path: { type: PathPrefix, value: {{ $path }} }
      # 0s: no limit; the service limits how long a response streams.
      timeouts: { request: 0s, backendRequest: 0s }
      backendRefs:
        - name: {{ include "tollgate.name" (list $ $service) }}
          port: {{ $port }}
{{- end }}
{{- end }}
