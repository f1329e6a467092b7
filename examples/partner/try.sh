#!/bin/sh
# Plans, approves and applies the campaign for three companies, in a sandbox that is stopped and deleted at the end.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
# Nothing here touches your own profiles.
export SVC_CONFIG_DIR="$work/config" SVC_STATE_DIR="$work/state" SVC_PROFILE=sandbox-partner
trap 'svc sandbox stop --data "$work/data" --quiet; rm -rf "$work"' EXIT

svc sandbox start --detach --data "$work/data" --port 0 --seed empty --quiet
for name in "Harbour Coffee" "Fjord Coffee" "Meadow Coffee"; do
  svc account create --name "$name" --contactemail office@example.com --timezone Europe/Oslo \
    --admin-username admin --admin-firstname Ada --admin-lastname Lovelace --admin-email ada@example.com \
    --admin-password-stdin --yes --quiet <<END >"$work/created"
Sesame-2027-sesame
END
done
for company in 2 3 4; do
  svc sandbox list create --name Newsletter --data "$work/data" --company "$company" --quiet
done

# A plan for each company, and bundle.plan.
svc plan spring.yaml --companies all --values values.yaml --out "$work/spring"
# One signature approves the plans of all companies.
ssh-keygen -q -t ed25519 -N '' -C ada -f "$work/ada"
echo "ada@example.com $(cat "$work/ada.pub")" > "$work/team.signers"
svc approve "$work/spring/bundle.plan" --identity "$work/ada" --yes
svc apply "$work/spring/bundle.plan" --approvals 1 --signers "$work/team.signers" --yes
# Exits with 11 if there are changes. Now there are none.
svc plan spring.yaml --companies all --values values.yaml --check --quiet > "$work/again"
svc audit --companies all --plans "$work/spring" --signers "$work/team.signers" --check
