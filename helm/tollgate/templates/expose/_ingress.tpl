{{/* An Ingress of a service. Takes (list $ "console" .Values.console.ingress), and a path other than `/`. */}}
{{- define "tollgate.exposeByIngress" -}}
{{- $ := index . 0 }}
{{- $service := index . 1 }}
{{- $path := ternary (last .) "/" (gt (len .) 3) }}
{{- with index . 2 -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "tollgate.metadata" (list $ $service) | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- if .tlsSecret }}
  tls:
    - secretName: {{ .tlsSecret }}
      hosts:
        {{- toYaml .hosts | nindent 8 }}
  {{- end }}
  rules:
    {{- range .hosts | default (list "") }}
    - {{ with . }}host: {{ . }}
      {{ end }}http:
        paths:
          - path: {{ $path }}
            pathType: Prefix
            backend:
              service:
                name: {{ include "tollgate.name" (list $ $service) }}
                port: { name: http }
    {{- end }}
{{- end }}
{{- end }}
