{{/* Security fields of every pod: restricted, without a token. */}}
{{- define "tollgate.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .Values.podSecurity }}
  {{- with .runAsUser }}
  runAsUser: {{ int64 . }}
  {{- end }}
  {{- with .runAsGroup }}
  runAsGroup: {{ int64 . }}
  {{- end }}
  {{- with .fsGroup }}
  fsGroup: {{ int64 . }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Annotations of a service's pods; a changed database or Redis URL replaces them. Takes (list $ .Values.auth). */}}
{{- define "tollgate.podAnnotations" -}}
{{- $ := index . 0 -}}
checksum/secrets: {{ include (print $.Template.BasePath "/secrets.yaml") $ | sha256sum }}
{{- with (index . 1).podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Security context of every container. */}}
{{- define "tollgate.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Resources of a service, with smaller requests in an evaluation. Takes (list $ .Values.auth). */}}
{{- define "tollgate.resources" -}}
{{- $evaluation := (index . 0).Values.evaluation }}
{{- mergeOverwrite dict (deepCopy (index . 1).resources) (ternary (deepCopy $evaluation.resources) dict $evaluation.enabled) | toYaml }}
{{- end }}

{{/* Scheduling of a service's pods. Takes (list $ "auth" .Values.auth). */}}
{{- define "tollgate.scheduling" -}}
{{- $ := index . 0 }}
{{- $service := index . 1 }}
{{- $values := index . 2 }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $.Values.topologySpread.enabled }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $.Values.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "tollgate.selectorLabels" (list $ $service) | nindent 8 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Keeps a stopping gRPC pod serving for preStopSeconds, until its clients have removed it. Takes .Values.auth. */}}
{{- define "tollgate.preStop" -}}
{{- if .preStopSeconds }}
lifecycle:
  preStop:
    sleep: { seconds: {{ .preStopSeconds }} }
{{- end }}
{{- end }}

{{/* SHUTDOWN_GRACE_MS, three seconds less than the time until Kubernetes kills the process. Takes that time in seconds. */}}
{{- define "tollgate.shutdownGrace" -}}
- name: SHUTDOWN_GRACE_MS
  value: {{ mul 1000 (max 1 (sub . 3)) | quote }}
{{- end }}

{{/* Variables of every service. Takes (list $ .Values.auth). */}}
{{- define "tollgate.commonEnv" -}}
{{- $ := index . 0 }}
{{- $values := index . 1 -}}
- name: LOG_LEVEL
  value: {{ $.Values.logLevel }}
{{- if $.Values.metrics.enabled }}
- name: METRICS_PORT
  value: {{ $.Values.metrics.port | quote }}
{{- end }}
{{- with $.Values.tracing }}
{{- if .endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
- name: OTEL_TRACES_SAMPLER
  value: {{ .sampler }}
{{- with .samplerArg }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- include "tollgate.clientEnv" $ }}
{{- end }}

{{/* Makes a process trust the operator's certificate authorities. */}}
{{- define "tollgate.caBundleEnv" }}
{{- if .Values.caBundle.existingConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/tollgate/ca-bundle/{{ .Values.caBundle.key }}
{{- end }}
{{- end }}

{{/* Variables of processes that call gRPC services. */}}
{{- define "tollgate.clientEnv" }}
{{- include "tollgate.caBundleEnv" . }}
{{- if .Values.tls.enabled }}
- name: GRPC_TLS_CERT_FILE
  value: /etc/tollgate/tls/tls.crt
- name: GRPC_TLS_KEY_FILE
  value: /etc/tollgate/tls/tls.key
- name: GRPC_TLS_CA_FILE
  value: {{ with .Values.tls.authorities }}{{ ternary (print "/etc/tollgate/tls-authorities/" .key) "/etc/tollgate/tls/ca.crt" (ne .existingConfigMap "") }}{{ end }}
- name: GRPC_TLS_CLIENT_NAME
  value: {{ include "tollgate.name" (list . "{role}") }}.{{ .Release.Namespace }}.svc
{{- if .Values.tls.acceptPlaintext }}
- name: GRPC_TLS_OPTIONAL
  value: "true"
{{- end }}
{{- end }}
{{- end }}

{{/* Mounts of tollgate.commonVolumes. Takes (list $ .Values.auth). */}}
{{- define "tollgate.commonMounts" -}}
{{- $ := index . 0 }}
{{- if $.Values.caBundle.existingConfigMap }}
- { name: ca-bundle, mountPath: /etc/tollgate/ca-bundle, readOnly: true }
{{- end }}
{{- if $.Values.tls.enabled }}
- { name: tls, mountPath: /etc/tollgate/tls, readOnly: true }
{{- if $.Values.tls.authorities.existingConfigMap }}
- { name: tls-authorities, mountPath: /etc/tollgate/tls-authorities, readOnly: true }
{{- end }}
{{- end }}
{{- with (index . 1).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Volumes of every service. Takes (list $ "auth" .Values.auth). */}}
{{- define "tollgate.commonVolumes" -}}
{{- $ := index . 0 }}
{{- with $.Values.caBundle.existingConfigMap }}
- name: ca-bundle
  configMap: { name: {{ . }} }
{{- end }}
{{- if $.Values.tls.enabled }}
- name: tls
  secret: { secretName: {{ include "tollgate.tlsSecret" . }}, defaultMode: 0440 }
{{- with $.Values.tls.authorities.existingConfigMap }}
- name: tls-authorities
  configMap: { name: {{ . }} }
{{- end }}
{{- end }}
{{- with (index . 2).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Name of the Secret with a service's certificate. Takes (list $ "auth"). */}}
{{- define "tollgate.tlsSecret" -}}
{{- $tls := (index . 0).Values.tls }}
{{- if eq $tls.source "existing" }}
{{- get $tls.existingSecrets (index . 1) }}
{{- else }}
{{- include "tollgate.name" . }}-tls{{ ternary "-generated" "" (eq $tls.source "generated") }}
{{- end }}
{{- end }}

{{/* DNS names of a service as a JSON list. Takes (list $ "auth"). */}}
{{- define "tollgate.dnsNames" -}}
{{- $ := index . 0 }}
{{- $name := include "tollgate.name" . }}
{{- $inNamespace := printf "%s.%s" $name $.Release.Namespace }}
{{- list $name $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.%s" $inNamespace $.Values.clusterDomain) | toJson }}
{{- end }}

{{/*
Probes of a gRPC service, on a port that serves only its health, because Kubernetes probes without TLS. A service is live while
it responds, and ready while it can serve; otherwise the response says why.
*/}}
{{- define "tollgate.grpcProbes" -}}
startupProbe:
  httpGet: { path: /health/live, port: health }
  {{- toYaml .Values.probes.startup | nindent 2 }}
readinessProbe:
  httpGet: { path: /health/ready, port: health }
  {{- toYaml .Values.probes.ready | nindent 2 }}
livenessProbe:
  httpGet: { path: /health/live, port: health }
  {{- toYaml .Values.probes.live | nindent 2 }}
{{- end }}

{{/* Ports of a gRPC service. */}}
{{- define "tollgate.grpcPorts" -}}
- { name: grpc, containerPort: 50051 }
- { name: health, containerPort: 50052 }
{{- if .Values.metrics.enabled }}
- { name: metrics, containerPort: {{ .Values.metrics.port }} }
{{- end }}
{{- end }}

{{/* Variables of every gRPC service. Takes .Values.auth. */}}
{{- define "tollgate.grpcEnv" -}}
{{ include "tollgate.shutdownGrace" (sub .terminationGracePeriodSeconds .preStopSeconds) }}
- name: GRPC_PORT
  value: "50051"
- name: HEALTH_PORT
  value: "50052"
{{- end }}

{{/* Name of the Secret with the keys of actor tokens. */}}
{{- define "tollgate.actorKeysSecret" -}}
{{- .Values.actorKeys.existingSecret | default (include "tollgate.name" (list . "actor-keys-generated")) }}
{{- end }}

{{/* The variable of services that verify actor tokens. */}}
{{- define "tollgate.actorPublicKeys" -}}
- name: ACTOR_PUBLIC_KEYS
  valueFrom:
    secretKeyRef: { name: {{ include "tollgate.actorKeysSecret" . }}, key: public-keys.pem }
{{- end }}

{{/* Rolling update: an old pod stops only when a new one is ready. */}}
{{- define "tollgate.rolling" -}}
strategy:
  type: RollingUpdate
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
{{- end }}
