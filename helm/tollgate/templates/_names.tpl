{{/* The prefix of the names of resources. */}}
{{- define "tollgate.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The name of one service's resources, of (list $ "auth"). */}}
{{- define "tollgate.name" -}}
{{- printf "%s-%s" (include "tollgate.fullname" (index . 0)) (index . 1) }}
{{- end }}

{{/* Labels by which the pods of one service are selected, of (list $ "auth"). */}}
{{- define "tollgate.selectorLabels" -}}
app.kubernetes.io/name: {{ default (index . 0).Chart.Name (index . 0).Values.nameOverride }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels of a resource, of (list $ "auth"). */}}
{{- define "tollgate.labels" -}}
{{- $ := index . 0 }}
{{- include "tollgate.selectorLabels" . }}
app.kubernetes.io/part-of: tollgate
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" }}
{{- with $.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Name, namespace and labels of a resource, of (list $ "auth"); the name may differ: (list $ "auth" "auth-metrics"). */}}
{{- define "tollgate.metadata" -}}
{{- $ := index . 0 -}}
name: {{ include "tollgate.name" (list $ (last .)) }}
namespace: {{ $.Release.Namespace }}
labels:
  {{- include "tollgate.labels" (list $ (index . 1)) | nindent 2 }}
{{- end }}

{{/* The image of one service, of (list $ "auth"). */}}
{{- define "tollgate.image" -}}
{{- $ := index . 0 }}
{{- with $.Values.image.registry }}{{ . }}/{{ end }}{{ $.Values.image.repository }}/{{ index . 1 }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}
{{- end }}

{{/* Where other pods reach a gRPC service: every one of its pods by the headless Service, of (list $ "auth"). */}}
{{- define "tollgate.grpcAddress" -}}
{{- $ := index . 0 -}}
dns:///{{ include "tollgate.name" . }}.{{ $.Release.Namespace }}.svc.{{ $.Values.clusterDomain }}:50051
{{- end }}
