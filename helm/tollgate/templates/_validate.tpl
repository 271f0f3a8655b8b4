{{/* Rejects invalid combinations of values and says what to set. */}}
{{- define "tollgate.validate" }}
{{- $hint := "or set evaluation.enabled=true to try Tollgate with one from the chart" }}
{{- $values := .Values }}
{{- $problems := list }}
{{- range list "postgres" "redis" }}
{{- $store := get $values . }}
{{- if and $store.url $store.existingSecret }}
{{- $problems = append $problems (printf "%s.url and %s.existingSecret are both set: remove one" . .) }}
{{- else if not (or $store.url $store.existingSecret $values.evaluation.enabled) }}
{{- $problems = append $problems (printf "%s.url or %s.existingSecret is missing: set a Secret with the URL of your %s, %s" . . (title .) $hint) }}
{{- end }}
{{- end }}
{{- $own := list }}
{{- $missing := list }}
{{- range $service, $login := $values.postgres.logins }}
{{- if and $login.url $login.existingSecret }}
{{- $problems = append $problems (printf "postgres.logins.%s.url and postgres.logins.%s.existingSecret are both set: remove one" $service $service) }}
{{- end }}
{{- if or $login.url $login.existingSecret }}
{{- $own = append $own $service }}
{{- else if or (not (has $service (list "console" "payments"))) (get (get $values $service) "enabled") }}
{{- $missing = append $missing $service }}
{{- end }}
{{- end }}
{{- if $own }}
{{- range $missing }}
{{- $problems = append $problems (printf "postgres.logins.%s is missing: each service needs its own login, or none" .) }}
{{- end }}
{{- if not (or $values.postgres.url $values.postgres.existingSecret) }}
{{- $problems = append $problems "postgres.logins requires postgres.url or postgres.existingSecret, the login of migrations" }}
{{- end }}
{{- end }}
{{- if and $values.catalogue.inline $values.catalogue.existingConfigMap }}
{{- $problems = append $problems "catalogue.inline and catalogue.existingConfigMap are both set: remove one" }}
{{- else if not (or $values.catalogue.inline $values.catalogue.existingConfigMap $values.evaluation.enabled) }}
{{- $problems = append $problems "catalogue.inline is missing: --set-file catalogue.inline=catalogue.yaml, or set catalogue.existingConfigMap" }}
{{- end }}
{{- if $values.console.enabled }}
{{- if not (or $values.console.url $values.evaluation.enabled) }}
{{- $problems = append $problems "console.url is missing: set the https URL of the console, or set console.enabled=false" }}
{{- else if and (hasPrefix "http://" $values.console.url) (not (regexMatch "^http://(localhost|127[.][0-9.]+)([:/]|$)" $values.console.url)) }}
{{- $problems = append $problems "console.url must be an https URL, except on loopback: sign-in cookies are sent over TLS only" }}
{{- end }}
{{- if and $values.console.oidc.issuer (not (and $values.console.oidc.clientId $values.console.oidc.existingSecret)) }}
{{- $problems = append $problems "console.oidc.clientId and console.oidc.existingSecret are required with console.oidc.issuer" }}
{{- end }}
{{- if and $values.console.smtp.existingSecret (not $values.console.smtp.from) }}
{{- $problems = append $problems "console.smtp.from is missing: set the address that e-mails are sent from" }}
{{- end }}
{{- if and $values.console.httpRoute.enabled (not $values.console.httpRoute.parentRefs) }}
{{- $problems = append $problems "console.httpRoute.parentRefs is missing: set the Gateway of the route" }}
{{- end }}
{{- else if not (or $values.ingress.rechargeUrl $values.evaluation.enabled) }}
{{- $problems = append $problems "ingress.rechargeUrl is missing: set the page where customers top up, or enable the console" }}
{{- end }}
{{- if and $values.ledger.webhook.url (not $values.ledger.webhook.existingSecret) }}
{{- $problems = append $problems "ledger.webhook.existingSecret is missing: set the Secret that events are signed with" }}
{{- end }}
{{- with $values.payments }}
{{- if .enabled }}
{{- if not .stripe.existingSecret }}
{{- $problems = append $problems "payments.stripe.existingSecret is missing: set the Secret with the keys of Stripe" }}
{{- end }}
{{- if not $values.console.enabled }}
{{- $problems = append $problems "payments.enabled requires console.enabled: people pay in the console" }}
{{- end }}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}
{{- $problems = append $problems "payments.httpRoute.parentRefs is missing: set the Gateway of the route" }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $values.tls.enabled (eq $values.tls.source "existing") }}
{{- range $service, $secret := $values.tls.existingSecrets }}
{{- if and (not $secret) (or (not (has $service (list "console" "payments"))) (get (get $values $service) "enabled")) }}
{{- $problems = append $problems (printf "tls.existingSecrets.%s is missing: tls.source is existing" $service) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $values.expose.httpRoute.enabled (not $values.expose.httpRoute.parentRefs) }}
{{- $problems = append $problems "expose.httpRoute.parentRefs is missing: set the Gateway of the route" }}
{{- end }}
{{- range $service := list "ingress" "auth" "ledger" "router" "console" "payments" }}
{{- $own := get $values $service }}
{{- if gt (int $own.autoscaling.minReplicas) (int $own.autoscaling.maxReplicas) }}
{{- $problems = append $problems (printf "%s.autoscaling.minReplicas exceeds maxReplicas" $service) }}
{{- end }}
{{- if le (int $own.terminationGracePeriodSeconds) (int (add $own.preStopSeconds 3)) }}
{{- $problems = append $problems (printf "%s.terminationGracePeriodSeconds leaves no time to stop after preStopSeconds" $service) }}
{{- end }}
{{- end }}
{{- with $problems }}
{{- fail (printf "\n\nTollgate cannot be installed with these values:\n  - %s\n" (join "\n  - " .)) }}
{{- end }}
{{- end }}
