{{/* Prefix of all resource names. */}}
{{- define "tollgate.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Name of a service's resources. Takes (list $ "auth"). */}}
{{- define "tollgate.name" -}}
{{- printf "%s-%s" (include "tollgate.fullname" (index . 0)) (index . 1) }}
{{- end }}

{{/* Labels that select the pods of a service. Takes (list $ "auth"). */}}
{{- define "tollgate.selectorLabels" -}}
app.kubernetes.io/name: {{ default (index . 0).Chart.Name (index . 0).Values.nameOverride }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels of a resource. Takes (list $ "auth"). */}}
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

{{/* Name, namespace and labels of a resource. Takes (list $ "auth"), or (list $ "auth" "auth-metrics") for another name. */}}
{{- define "tollgate.metadata" -}}
{{- $ := index . 0 -}}
name: {{ include "tollgate.name" (list $ (last .)) }}
namespace: {{ $.Release.Namespace }}
labels:
  {{- include "tollgate.labels" (list $ (index . 1)) | nindent 2 }}
{{- end }}

{{/* Image of a service. Takes (list $ "auth"). */}}
{{- define "tollgate.image" -}}
{{- $ := index . 0 }}
{{- with $.Values.image.registry }}{{ . }}/{{ end }}{{ $.Values.image.repository }}/{{ index . 1 }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}
{{- end }}

{{/* Address of a gRPC service: its headless Service, which resolves to all its pods. Takes (list $ "auth"). */}}
{{- define "tollgate.grpcAddress" -}}
{{- $ := index . 0 -}}
dns:///{{ include "tollgate.name" . }}.{{ $.Release.Namespace }}.svc.{{ $.Values.clusterDomain }}:50051
{{- end }}
