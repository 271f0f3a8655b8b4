{{/* Refuses values that cannot work together, each with what to set. */}}
{{- define "tollgate.validate" }}
{{- $hint := "or set evaluation.enabled=true to try Tollgate with one that the chart adds" }}
{{- $values := .Values }}
{{- $problems := list }}
{{- range list "postgres" "redis" }}
{{- $store := get $values . }}
{{- if and $store.url $store.existingSecret }}
{{- $problems = append $problems (printf "%s.url and %s.existingSecret are both set: leave one out" . .) }}
{{- else if not (or $store.url $store.existingSecret $values.evaluation.enabled) }}
{{- $problems = append $problems (printf "%s.url or %s.existingSecret is missing: name a secret with the URL of your %s, %s" . . (title .) $hint) }}
{{- end }}
{{- end }}
{{- if and $values.catalogue.inline $values.catalogue.existingConfigMap }}
{{- $problems = append $problems "catalogue.inline and catalogue.existingConfigMap are both set: leave one out" }}
{{- else if not (or $values.catalogue.inline $values.catalogue.existingConfigMap $values.evaluation.enabled) }}
{{- $problems = append $problems "catalogue.inline is missing: --set-file catalogue.inline=catalogue.yaml, or name a ConfigMap in catalogue.existingConfigMap" }}
{{- end }}
{{- if not (or $values.ingress.rechargeUrl $values.evaluation.enabled) }}
{{- $problems = append $problems "ingress.rechargeUrl is missing: the page where accounts are topped up" }}
{{- end }}
{{- if and $values.ledger.webhook.url (not $values.ledger.webhook.existingSecret) }}
{{- $problems = append $problems "ledger.webhook.existingSecret is missing: what events are signed with" }}
{{- end }}
{{- if and $values.tls.enabled (eq $values.tls.source "existing") }}
{{- range $service, $secret := $values.tls.existingSecrets }}
{{- if not $secret }}
{{- $problems = append $problems (printf "tls.existingSecrets.%s is missing, as tls.source is existing" $service) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $values.expose.httpRoute.enabled (not $values.expose.httpRoute.parentRefs) }}
{{- $problems = append $problems "expose.httpRoute.parentRefs is missing: the Gateway that the route belongs to" }}
{{- end }}
{{- range $service := list "ingress" "auth" "ledger" "router" }}
{{- $own := get $values $service }}
{{- if gt (int $own.autoscaling.minReplicas) (int $own.autoscaling.maxReplicas) }}
{{- $problems = append $problems (printf "%s.autoscaling.minReplicas is more than maxReplicas" $service) }}
{{- end }}
{{- if le (int $own.terminationGracePeriodSeconds) (int (add $own.preStopSeconds 3)) }}
{{- $problems = append $problems (printf "%s.terminationGracePeriodSeconds leaves no time to stop after preStopSeconds" $service) }}
{{- end }}
{{- end }}
{{- with $problems }}
{{- fail (printf "\n\nTollgate cannot be installed with these values:\n  - %s\n" (join "\n  - " .)) }}
{{- end }}
{{- end }}
