{{/* An autoscaler. Takes (list $ "auth" .Values.auth "Deployment"). */}}
{{- define "tollgate.autoscaler" -}}
{{- $values := (index . 2).autoscaling }}
{{- if $values.enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "tollgate.metadata" (list (index . 0) (index . 1)) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: {{ index . 3 }}
    name: {{ include "tollgate.name" . }}
  minReplicas: {{ $values.minReplicas }}
  maxReplicas: {{ $values.maxReplicas }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: {{ $values.scaleDownStabilizationSeconds }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $values.targetCPUUtilizationPercentage }} }
    {{- if $values.targetOpenRequests }}
    - type: Pods
      pods:
        metric: { name: tollgate_open_requests }
        target: { type: AverageValue, averageValue: {{ $values.targetOpenRequests | quote }} }
    {{- end }}
{{- end }}
{{- end }}

{{/* A disruption budget. Takes (list $ "auth" .Values.auth). */}}
{{- define "tollgate.disruptionBudget" -}}
{{- $values := index . 2 }}
{{- if gt (int (ternary $values.autoscaling.minReplicas $values.replicas $values.autoscaling.enabled)) 1 -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "tollgate.metadata" (list (index . 0) (index . 1)) | nindent 2 }}
spec:
  maxUnavailable: {{ $values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "tollgate.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end }}

{{/* A ServiceAccount without a token. Takes (list $ "auth"). */}}
{{- define "tollgate.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "tollgate.metadata" . | nindent 2 }}
  {{- $own := index (index . 0).Values (index . 1) }}
  {{- with (and (kindIs "map" $own) (dig "serviceAccount" "annotations" dict $own)) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{/* The headless Service of a gRPC service: clients resolve all pods and balance calls over them. Takes (list $ "auth"). */}}
{{- define "tollgate.grpcService" -}}
{{- $ := index . 0 -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "tollgate.metadata" . | nindent 2 }}
spec:
  clusterIP: None
  selector:
    {{- include "tollgate.selectorLabels" . | nindent 4 }}
  ports:
    - { name: grpc, port: 50051, targetPort: grpc, appProtocol: grpc }
    {{- if $.Values.metrics.enabled }}
    - { name: metrics, port: {{ $.Values.metrics.port }}, targetPort: metrics }
    {{- end }}
{{- end }}
