# bash completion of svc. Made by: svc completion bash
# Load it:  source <(svc completion bash)

_svc_commands() {
  case "$1" in
  '') REPLY='account features user sms sms-message sms-destination email link task folder dnc form subscriber-data automation init profile doctor demo sandbox api log undo explain alias plugin completion help' ;;
  'help') REPLY='flags aliases environment exit-codes times account features user sms sms-message sms-destination email link task folder dnc form subscriber-data automation init profile doctor demo sandbox api log undo explain alias plugin completion' ;;
  'account') REPLY='get exists create' ;;
  'features') REPLY='get set' ;;
  'user') REPLY='list get exists create update delete whoami' ;;
  'sms') REPLY='list get exists send estimate' ;;
  'sms-message') REPLY='list get exists create update delete lint' ;;
  'sms-destination') REPLY='list get exists update' ;;
  'email') REPLY='list get exists create update delete lint preview' ;;
  'link') REPLY='list get exists' ;;
  'task') REPLY='list get exists create update cancel undo wait watch guard report' ;;
  'folder') REPLY='list get exists create update delete' ;;
  'dnc') REPLY='list get exists add remove check diff import export' ;;
  'form') REPLY='list get exists delete' ;;
  'subscriber-data') REPLY='list get exists create update delete set' ;;
  'automation') REPLY='list get exists create update pause resume delete' ;;
  'profile') REPLY='list show use add remove set' ;;
  'sandbox') REPLY='start stop status reset list subscriber field search destination form company credits sender user event clock queue outbox fault log snapshot' ;;
  'sandbox list') REPLY='create list delete' ;;
  'sandbox subscriber') REPLY='create import list' ;;
  'sandbox field') REPLY='create list' ;;
  'sandbox search') REPLY='create list' ;;
  'sandbox destination') REPLY='create' ;;
  'sandbox form') REPLY='create' ;;
  'sandbox company') REPLY='list key' ;;
  'sandbox credits') REPLY='set' ;;
  'sandbox sender') REPLY='add list' ;;
  'sandbox user') REPLY='restrict' ;;
  'sandbox event') REPLY='open click subscribe unsubscribe complaint bounce date sms-in failed-login' ;;
  'sandbox clock') REPLY='show set advance run' ;;
  'sandbox outbox') REPLY='list show export' ;;
  'sandbox fault') REPLY='set list clear' ;;
  'sandbox log') REPLY='list' ;;
  'sandbox snapshot') REPLY='save restore list delete' ;;
  'log') REPLY='list show tail' ;;
  'alias') REPLY='set list remove' ;;
  'plugin') REPLY='list' ;;
  'completion') REPLY='install bash zsh fish powershell' ;;
  *) REPLY='' ;;
  esac
}

_svc_flags() {
  case "$1" in
  '') REPLY='--version' ;;
  'account create') REPLY='--name --contactemail --address --automation-limit --country --folderrestrict --no-folderrestrict --goaltrackingdomain --list-limit --search-limit --smsautomation-limit --subscriber-limit --subscriberprofileattribute-limit --telephone --timezone --user-limit --website --null --data' ;;
  'features set') REPLY='--enablesubscriptionmo --no-enablesubscriptionmo --automation-limit --contactemail --custommaildomaintype --enableanalyse --no-enableanalyse --enableaudienceinsights --no-enableaudienceinsights --enablechangepassword --no-enablechangepassword --enablecustommaildomain --no-enablecustommaildomain --enabledkim --no-enabledkim --enabledynamiccontent --no-enabledynamiccontent --enableemail --no-enableemail --enableemailcredits --no-enableemailcredits --enablesocialnetworka --no-enablesocialnetworka --enablehttpapi --no-enablehttpapi --enableinboxtest --no-enableinboxtest --enablecrm --no-enablecrm --enablesendbulkemail --no-enablesendbulkemail --enablesendbulksms --no-enablesendbulksms --enablesms --no-enablesms --enablesplittest --no-enablesplittest --enablesubscriberprofilefields --no-enablesubscriberprofilefields --enabletimezonepremium --no-enabletimezonepremium --enablesocialnetworkb --no-enablesocialnetworkb --enablecms --no-enablecms --list-limit --locked --no-locked --maildomainprimary --search-limit --smsautomation-limit --subscriber-limit --subscriberprofilefield-limit --timezone --user-limit --null --data' ;;
  'user list') REPLY='--id --currentuser --no-currentuser --username --sort --reverse --limit -L --all' ;;
  'user exists') REPLY='--id --currentuser --no-currentuser --username' ;;
  'user create') REPLY='--email --firstname --lastname --username --password --password-stdin --active --no-active --msisdn --isadmin --no-isadmin --null --data' ;;
  'user update') REPLY='--active --no-active --email --firstname --lastname --msisdn --password --password-stdin --username --null --data' ;;
  'sms list') REPLY='--id --to --msisdn --from --fromaddress --user-id --sort --reverse --limit -L --all' ;;
  'sms exists') REPLY='--id --to --msisdn --from --fromaddress --user-id' ;;
  'sms send') REPLY='--now --check-credits --to --msisdn --from --fromaddress --text --message --text-file --at --senddate --null --data --file --again --concurrency --rejects --state' ;;
  'sms estimate') REPLY='--text --message --text-file' ;;
  'sms-message list') REPLY='--id --editable --name --used --no-used --sort --reverse --limit -L --all' ;;
  'sms-message exists') REPLY='--id --editable --name --used --no-used' ;;
  'sms-message create') REPLY='--from --fromname --text --message --text-file --name --subinfo --no-subinfo --null --data --key' ;;
  'sms-message update') REPLY='--from --fromname --text --message --text-file --name --subinfo --no-subinfo --null --data' ;;
  'sms-message lint') REPLY='--from --fromname --text --message --text-file --name --subinfo --no-subinfo --null --data' ;;
  'sms-destination list') REPLY='--id --isshortcode --no-isshortcode --sort --reverse --limit -L --all' ;;
  'sms-destination exists') REPLY='--id --isshortcode --no-isshortcode' ;;
  'sms-destination update') REPLY='--keyword --null --data' ;;
  'email list') REPLY='--id --customoptin --no-customoptin --editable --no-editable --name --used --no-used --sort --reverse --limit -L --all' ;;
  'email exists') REPLY='--id --customoptin --no-customoptin --editable --no-editable --name --used --no-used' ;;
  'email create') REPLY='--from-name --fromname --html --html-file --name --reply-to --replyemail --subject --text --text-file --from --fromemail --customoptin --no-customoptin --editor --galinkdata --no-galinkdata --friendlink --no-friendlink --tracktextlinks --no-tracktextlinks --null --data --key' ;;
  'email update') REPLY='--customoptin --no-customoptin --editor --from --fromemail --from-name --fromname --galinkdata --no-galinkdata --html --html-file --name --reply-to --replyemail --friendlink --no-friendlink --subject --text --text-file --tracktextlinks --no-tracktextlinks --null --data' ;;
  'email lint') REPLY='--customoptin --no-customoptin --editor --from --fromemail --from-name --fromname --galinkdata --no-galinkdata --html --html-file --name --reply-to --replyemail --friendlink --no-friendlink --subject --text --text-file --tracktextlinks --no-tracktextlinks --null --data' ;;
  'email preview') REPLY='--part --out' ;;
  'link list') REPLY='--id --message --message-id --task --task-id --type --sort --reverse --limit -L --all' ;;
  'link exists') REPLY='--id --message --message-id --task --task-id --type' ;;
  'task list') REPLY='--id --cancelled --no-cancelled --channel --completed --no-completed --list --list-id --message --message-id --name --null --sort --reverse --limit -L --all' ;;
  'task exists') REPLY='--id --cancelled --no-cancelled --channel --completed --no-completed --list --list-id --message --message-id --name --null' ;;
  'task create') REPLY='--now --expect-size --check-credits --hold --channel --message --message-id --name --at --scheduledtime --list --list-id --search --search-id --rate --null --data --key' ;;
  'task update') REPLY='--now --check-credits --cancelled --no-cancelled --list --list-id --name --at --scheduledtime --search --search-id --null --data' ;;
  'task wait') REPLY='--until --interval' ;;
  'task watch') REPLY='--interval' ;;
  'task guard') REPLY='--max-bounce --max-complaint --max-unsubscribe --then --if-stopped --min-sent --interval' ;;
  'folder list') REPLY='--id --name --sort --reverse --limit -L --all' ;;
  'folder exists') REPLY='--id --name' ;;
  'folder create') REPLY='--name --null --data --key' ;;
  'folder update') REPLY='--name --null --data' ;;
  'dnc list') REPLY='--id --contactdata --sort --reverse --limit -L --all' ;;
  'dnc get') REPLY='--id' ;;
  'dnc exists') REPLY='--id --contactdata' ;;
  'dnc add') REPLY='--contactdata --domain-ok' ;;
  'dnc remove') REPLY='--contactdata --id' ;;
  'dnc check') REPLY='--column --concurrency' ;;
  'dnc diff') REPLY='--column' ;;
  'dnc import') REPLY='--column --domain-ok --concurrency --rejects --state' ;;
  'dnc export') REPLY='--out --force' ;;
  'form list') REPLY='--id --name --user-id --sort --reverse --limit -L --all' ;;
  'form exists') REPLY='--id --name' ;;
  'subscriber-data list') REPLY='--id --subscriber --subscriber-id --field --subscriberprofilefield-id --sort --reverse --limit -L --all' ;;
  'subscriber-data exists') REPLY='--id --subscriber --subscriber-id --field --subscriberprofilefield-id' ;;
  'subscriber-data create') REPLY='--subscriber --subscriber-id --field --subscriberprofilefield-id --value --null --data' ;;
  'subscriber-data update') REPLY='--value --subscriber --subscriber-id --field --subscriberprofilefield-id --null --data' ;;
  'subscriber-data delete') REPLY='--subscriber --subscriber-id --field --subscriberprofilefield-id' ;;
  'subscriber-data set') REPLY='--subscriber --subscriber-id --field --subscriberprofilefield-id --value --null --data --file --concurrency --rejects --state' ;;
  'automation list') REPLY='--kind --id --name --paused --no-paused --actiononweekend --no-actiononweekend --user-id --sort --reverse --limit -L --all' ;;
  'automation get') REPLY='--kind' ;;
  'automation exists') REPLY='--kind --name --paused --no-paused --actiononweekend --no-actiononweekend --user-id' ;;
  'automation create') REPLY='--kind --actiontarget --actiontype --name --link --link-id --message --message-id --summary --actiononweekend --no-actiononweekend --actionhour --actiontimediff --after --paused --no-paused --null --data --list --list-id --before --keyword --email-list --email-list-id --message-actionhour --message-actiontimediff --message-actiononweekend --no-message-actiononweekend --notifyemail --notifymsisdn --notifyurl --key' ;;
  'automation update') REPLY='--kind --link --link-id --message --message-id --actiontarget --actiontype --name --summary --actiononweekend --no-actiononweekend --actionhour --actiontimediff --after --paused --no-paused --null --data --list --list-id --before --keyword --email-list --email-list-id --message-actionhour --message-actiontimediff --message-actiononweekend --no-message-actiononweekend --notifyemail --notifymsisdn --notifyurl' ;;
  'automation pause') REPLY='--kind' ;;
  'automation resume') REPLY='--kind' ;;
  'automation delete') REPLY='--kind' ;;
  'init') REPLY='--partner --api-key-stdin --key-command --default --no-default --replace --no-check' ;;
  'profile add') REPLY='--partner --api-key-stdin --key-command --default --no-default --replace --no-check' ;;
  'sandbox start') REPLY='--port --data --seed --clock --naming --smtp --allow-smtp --allow-notify --detach' ;;
  'sandbox stop') REPLY='--data' ;;
  'sandbox status') REPLY='--data' ;;
  'sandbox reset') REPLY='--data' ;;
  'sandbox list create') REPLY='--name --folder --permanent --data' ;;
  'sandbox list list') REPLY='--data' ;;
  'sandbox list delete') REPLY='--data' ;;
  'sandbox subscriber create') REPLY='--list --email --msisdn --data' ;;
  'sandbox subscriber import') REPLY='--list --data' ;;
  'sandbox subscriber list') REPLY='--list --limit --all --data' ;;
  'sandbox field create') REPLY='--name --data' ;;
  'sandbox field list') REPLY='--data' ;;
  'sandbox search create') REPLY='--name --field --equals --data' ;;
  'sandbox search list') REPLY='--data' ;;
  'sandbox destination create') REPLY='--destination --shortcode --data' ;;
  'sandbox form create') REPLY='--name --data' ;;
  'sandbox company list') REPLY='--data' ;;
  'sandbox company key') REPLY='--data' ;;
  'sandbox credits set') REPLY='--email --sms --data' ;;
  'sandbox sender add') REPLY='--data' ;;
  'sandbox sender list') REPLY='--data' ;;
  'sandbox user restrict') REPLY='--folder --data' ;;
  'sandbox event open') REPLY='--message --subscriber --task --data' ;;
  'sandbox event click') REPLY='--link --subscriber --task --data' ;;
  'sandbox event subscribe') REPLY='--list --subscriber --data' ;;
  'sandbox event unsubscribe') REPLY='--task --subscriber --data' ;;
  'sandbox event complaint') REPLY='--task --subscriber --data' ;;
  'sandbox event bounce') REPLY='--task --subscriber --data' ;;
  'sandbox event date') REPLY='--rule --subscriber --at --data' ;;
  'sandbox event sms-in') REPLY='--to --from --text --data' ;;
  'sandbox event failed-login') REPLY='--username --data' ;;
  'sandbox clock show') REPLY='--data' ;;
  'sandbox clock set') REPLY='--data' ;;
  'sandbox clock advance') REPLY='--data' ;;
  'sandbox clock run') REPLY='--data' ;;
  'sandbox queue') REPLY='--until --limit --all --data' ;;
  'sandbox outbox list') REPLY='--to --task --channel --rule --limit --all --data' ;;
  'sandbox outbox show') REPLY='--eml --data' ;;
  'sandbox outbox export') REPLY='--dir --data' ;;
  'sandbox fault set') REPLY='--kind --rate --times --match --delay --data' ;;
  'sandbox fault list') REPLY='--data' ;;
  'sandbox fault clear') REPLY='--data' ;;
  'sandbox log list') REPLY='--limit --data' ;;
  'sandbox snapshot save') REPLY='--data' ;;
  'sandbox snapshot restore') REPLY='--data' ;;
  'sandbox snapshot list') REPLY='--data' ;;
  'sandbox snapshot delete') REPLY='--data' ;;
  'api') REPLY='--data --paginate' ;;
  'log list') REPLY='--since --resource --command --failed --limit' ;;
  'log tail') REPLY='--lines --follow' ;;
  'undo') REPLY='--domain-ok' ;;
  'completion install') REPLY='--force' ;;
  *) REPLY='' ;;
  esac
  REPLY="$REPLY --profile --base-url --company --user --output -o --json --fields --query --jq --no-header --csv-raw --yes -y --no-input --dry-run --no-validate --no-journal --timeout --settle --retries --tz --quiet -q --debug --no-color --wide --plain --no-pager --help -h"
}

# REPLY becomes what operand $2 at place $1 can be, with @kind for what is looked up.
_svc_operands() {
  case "$1 $2" in
  ' '0) REPLY='@alias' ;;
  'account get '0) REPLY='@company' ;;
  'account exists '0) REPLY='@company' ;;
  'features get '0) REPLY='@company' ;;
  'features set '0) REPLY='@company' ;;
  'user get '0) REPLY='@user' ;;
  'user exists '0) REPLY='@user' ;;
  'user update '0) REPLY='@user' ;;
  'user delete '0) REPLY='@user' ;;
  'sms get '0) REPLY='@sms' ;;
  'sms exists '0) REPLY='@sms' ;;
  'sms-message get '0) REPLY='@sms-message' ;;
  'sms-message exists '0) REPLY='@sms-message' ;;
  'sms-message update '0) REPLY='@sms-message' ;;
  'sms-message delete '0) REPLY='@sms-message' ;;
  'sms-message lint '0) REPLY='@sms-message' ;;
  'sms-destination get '0) REPLY='@sms-destination' ;;
  'sms-destination exists '0) REPLY='@sms-destination' ;;
  'sms-destination update '0) REPLY='@sms-destination' ;;
  'email get '0) REPLY='@email' ;;
  'email exists '0) REPLY='@email' ;;
  'email update '0) REPLY='@email' ;;
  'email delete '0) REPLY='@email' ;;
  'email lint '0) REPLY='@email' ;;
  'email preview '0) REPLY='@email' ;;
  'link get '0) REPLY='@link' ;;
  'link exists '0) REPLY='@link' ;;
  'task get '0) REPLY='@task' ;;
  'task exists '0) REPLY='@task' ;;
  'task update '0) REPLY='@task' ;;
  'task cancel '0) REPLY='@task' ;;
  'task wait '0) REPLY='@task' ;;
  'task watch '0) REPLY='@task' ;;
  'task guard '0) REPLY='@task' ;;
  'task report '0) REPLY='@task' ;;
  'folder get '0) REPLY='@folder' ;;
  'folder exists '0) REPLY='@folder' ;;
  'folder update '0) REPLY='@folder' ;;
  'folder delete '0) REPLY='@folder' ;;
  'form get '0) REPLY='@form' ;;
  'form exists '0) REPLY='@form' ;;
  'form delete '0) REPLY='@form' ;;
  'automation get '0) REPLY='@automation' ;;
  'automation exists '0) REPLY='@automation' ;;
  'automation update '0) REPLY='@automation' ;;
  'automation pause '0) REPLY='@automation' ;;
  'automation resume '0) REPLY='@automation' ;;
  'automation delete '0) REPLY='@automation' ;;
  'profile show '0) REPLY='@profile' ;;
  'profile use '0) REPLY='@profile' ;;
  'profile remove '0) REPLY='@profile' ;;
  'profile set '0) REPLY='@profile' ;;
  'profile set '1) REPLY='base-url company user partner key-command output tz naming.opt-in-tag naming.link-element naming.name-element naming.header-prefix naming.company-scheme naming.partner-scheme' ;;
  'api '0) REPLY='GET HEAD POST PUT DELETE' ;;
  'explain '*) REPLY='account features user sms sms-message sms-destination email link task folder dnc form subscriber-data automation click open subscription date' ;;
  'alias set '0) REPLY='@alias' ;;
  'alias remove '0) REPLY='@alias' ;;
  'completion install '0) REPLY='bash zsh fish powershell' ;;
  *) REPLY='' ;;
  esac
}

# REPLY becomes the values of flag $2 at place $1, @kind for what is looked up, or @file. Fails where the flag takes none.
_svc_flag_values() {
  REPLY=''
  case "$2" in
  '--profile') REPLY='@profile' && return 0 ;;
  '--base-url') REPLY='' && return 0 ;;
  '--company') REPLY='@company' && return 0 ;;
  '--user') REPLY='@user' && return 0 ;;
  '--output' | '-o') REPLY='table json ndjson csv tsv yaml id' && return 0 ;;
  '--fields') REPLY='' && return 0 ;;
  '--query') REPLY='' && return 0 ;;
  '--jq') REPLY='' && return 0 ;;
  '--timeout') REPLY='' && return 0 ;;
  '--settle') REPLY='' && return 0 ;;
  '--retries') REPLY='' && return 0 ;;
  '--tz') REPLY='' && return 0 ;;
  esac
  case "$1 $2" in
  'account create --name') REPLY='' && return 0 ;;
  'account create --contactemail') REPLY='' && return 0 ;;
  'account create --address') REPLY='' && return 0 ;;
  'account create --automation-limit') REPLY='' && return 0 ;;
  'account create --country') REPLY='' && return 0 ;;
  'account create --goaltrackingdomain') REPLY='' && return 0 ;;
  'account create --list-limit') REPLY='' && return 0 ;;
  'account create --search-limit') REPLY='' && return 0 ;;
  'account create --smsautomation-limit') REPLY='' && return 0 ;;
  'account create --subscriber-limit') REPLY='' && return 0 ;;
  'account create --subscriberprofileattribute-limit') REPLY='' && return 0 ;;
  'account create --telephone') REPLY='' && return 0 ;;
  'account create --timezone') REPLY='' && return 0 ;;
  'account create --user-limit') REPLY='' && return 0 ;;
  'account create --website') REPLY='' && return 0 ;;
  'account create --null') REPLY='automation_limit search_limit smsautomation_limit subscriber_limit subscriberprofileattribute_limit telephone website' && return 0 ;;
  'account create --data') REPLY='@file' && return 0 ;;
  'features set --automation-limit') REPLY='' && return 0 ;;
  'features set --contactemail') REPLY='' && return 0 ;;
  'features set --custommaildomaintype') REPLY='fixed_email domain' && return 0 ;;
  'features set --list-limit') REPLY='' && return 0 ;;
  'features set --maildomainprimary') REPLY='' && return 0 ;;
  'features set --search-limit') REPLY='' && return 0 ;;
  'features set --smsautomation-limit') REPLY='' && return 0 ;;
  'features set --subscriber-limit') REPLY='' && return 0 ;;
  'features set --subscriberprofilefield-limit') REPLY='' && return 0 ;;
  'features set --timezone') REPLY='' && return 0 ;;
  'features set --user-limit') REPLY='' && return 0 ;;
  'features set --null') REPLY='enablesubscriptionmo automation_limit custommaildomaintype enablesplittest maildomainprimary search_limit smsautomation_limit subscriber_limit subscriberprofilefield_limit' && return 0 ;;
  'features set --data') REPLY='@file' && return 0 ;;
  'user list --id') REPLY='' && return 0 ;;
  'user list --username') REPLY='' && return 0 ;;
  'user list --sort') REPLY='id cdate' && return 0 ;;
  'user list --limit' | 'user list -L') REPLY='' && return 0 ;;
  'user exists --id') REPLY='' && return 0 ;;
  'user exists --username') REPLY='' && return 0 ;;
  'user create --email') REPLY='' && return 0 ;;
  'user create --firstname') REPLY='' && return 0 ;;
  'user create --lastname') REPLY='' && return 0 ;;
  'user create --username') REPLY='' && return 0 ;;
  'user create --password') REPLY='' && return 0 ;;
  'user create --msisdn') REPLY='' && return 0 ;;
  'user create --null') REPLY='password msisdn' && return 0 ;;
  'user create --data') REPLY='@file' && return 0 ;;
  'user update --email') REPLY='' && return 0 ;;
  'user update --firstname') REPLY='' && return 0 ;;
  'user update --lastname') REPLY='' && return 0 ;;
  'user update --msisdn') REPLY='' && return 0 ;;
  'user update --password') REPLY='' && return 0 ;;
  'user update --username') REPLY='' && return 0 ;;
  'user update --null') REPLY='msisdn password' && return 0 ;;
  'user update --data') REPLY='@file' && return 0 ;;
  'sms list --id') REPLY='' && return 0 ;;
  'sms list --to' | 'sms list --msisdn') REPLY='' && return 0 ;;
  'sms list --from' | 'sms list --fromaddress') REPLY='' && return 0 ;;
  'sms list --user-id') REPLY='@user' && return 0 ;;
  'sms list --sort') REPLY='id cdate' && return 0 ;;
  'sms list --limit' | 'sms list -L') REPLY='' && return 0 ;;
  'sms exists --id') REPLY='' && return 0 ;;
  'sms exists --to' | 'sms exists --msisdn') REPLY='' && return 0 ;;
  'sms exists --from' | 'sms exists --fromaddress') REPLY='' && return 0 ;;
  'sms exists --user-id') REPLY='@user' && return 0 ;;
  'sms send --to' | 'sms send --msisdn') REPLY='' && return 0 ;;
  'sms send --from' | 'sms send --fromaddress') REPLY='' && return 0 ;;
  'sms send --text' | 'sms send --message') REPLY='' && return 0 ;;
  'sms send --text-file') REPLY='@file' && return 0 ;;
  'sms send --at' | 'sms send --senddate') REPLY='' && return 0 ;;
  'sms send --null') REPLY='senddate' && return 0 ;;
  'sms send --data') REPLY='@file' && return 0 ;;
  'sms send --file') REPLY='@file' && return 0 ;;
  'sms send --concurrency') REPLY='' && return 0 ;;
  'sms send --rejects') REPLY='@file' && return 0 ;;
  'sms send --state') REPLY='@file' && return 0 ;;
  'sms estimate --text' | 'sms estimate --message') REPLY='' && return 0 ;;
  'sms estimate --text-file') REPLY='@file' && return 0 ;;
  'sms-message list --id') REPLY='' && return 0 ;;
  'sms-message list --editable') REPLY='' && return 0 ;;
  'sms-message list --name') REPLY='' && return 0 ;;
  'sms-message list --sort') REPLY='id name cdate' && return 0 ;;
  'sms-message list --limit' | 'sms-message list -L') REPLY='' && return 0 ;;
  'sms-message exists --id') REPLY='' && return 0 ;;
  'sms-message exists --editable') REPLY='' && return 0 ;;
  'sms-message exists --name') REPLY='' && return 0 ;;
  'sms-message create --from' | 'sms-message create --fromname') REPLY='' && return 0 ;;
  'sms-message create --text' | 'sms-message create --message') REPLY='' && return 0 ;;
  'sms-message create --text-file') REPLY='@file' && return 0 ;;
  'sms-message create --name') REPLY='' && return 0 ;;
  'sms-message create --null') REPLY='' && return 0 ;;
  'sms-message create --data') REPLY='@file' && return 0 ;;
  'sms-message create --key') REPLY='' && return 0 ;;
  'sms-message update --from' | 'sms-message update --fromname') REPLY='' && return 0 ;;
  'sms-message update --text' | 'sms-message update --message') REPLY='' && return 0 ;;
  'sms-message update --text-file') REPLY='@file' && return 0 ;;
  'sms-message update --name') REPLY='' && return 0 ;;
  'sms-message update --null') REPLY='' && return 0 ;;
  'sms-message update --data') REPLY='@file' && return 0 ;;
  'sms-message lint --from' | 'sms-message lint --fromname') REPLY='' && return 0 ;;
  'sms-message lint --text' | 'sms-message lint --message') REPLY='' && return 0 ;;
  'sms-message lint --text-file') REPLY='@file' && return 0 ;;
  'sms-message lint --name') REPLY='' && return 0 ;;
  'sms-message lint --null') REPLY='' && return 0 ;;
  'sms-message lint --data') REPLY='@file' && return 0 ;;
  'sms-destination list --id') REPLY='' && return 0 ;;
  'sms-destination list --sort') REPLY='id isshortcode' && return 0 ;;
  'sms-destination list --limit' | 'sms-destination list -L') REPLY='' && return 0 ;;
  'sms-destination exists --id') REPLY='' && return 0 ;;
  'sms-destination update --keyword') REPLY='' && return 0 ;;
  'sms-destination update --null') REPLY='keyword' && return 0 ;;
  'sms-destination update --data') REPLY='@file' && return 0 ;;
  'email list --id') REPLY='' && return 0 ;;
  'email list --name') REPLY='' && return 0 ;;
  'email list --sort') REPLY='id name cdate' && return 0 ;;
  'email list --limit' | 'email list -L') REPLY='' && return 0 ;;
  'email exists --id') REPLY='' && return 0 ;;
  'email exists --name') REPLY='' && return 0 ;;
  'email create --from-name' | 'email create --fromname') REPLY='' && return 0 ;;
  'email create --html') REPLY='' && return 0 ;;
  'email create --html-file') REPLY='@file' && return 0 ;;
  'email create --name') REPLY='' && return 0 ;;
  'email create --reply-to' | 'email create --replyemail') REPLY='' && return 0 ;;
  'email create --subject') REPLY='' && return 0 ;;
  'email create --text') REPLY='' && return 0 ;;
  'email create --text-file') REPLY='@file' && return 0 ;;
  'email create --from' | 'email create --fromemail') REPLY='' && return 0 ;;
  'email create --editor') REPLY='1 2 3 4' && return 0 ;;
  'email create --null') REPLY='fromemail tracktextlinks' && return 0 ;;
  'email create --data') REPLY='@file' && return 0 ;;
  'email create --key') REPLY='' && return 0 ;;
  'email update --editor') REPLY='1 2 3 4' && return 0 ;;
  'email update --from' | 'email update --fromemail') REPLY='' && return 0 ;;
  'email update --from-name' | 'email update --fromname') REPLY='' && return 0 ;;
  'email update --html') REPLY='' && return 0 ;;
  'email update --html-file') REPLY='@file' && return 0 ;;
  'email update --name') REPLY='' && return 0 ;;
  'email update --reply-to' | 'email update --replyemail') REPLY='' && return 0 ;;
  'email update --subject') REPLY='' && return 0 ;;
  'email update --text') REPLY='' && return 0 ;;
  'email update --text-file') REPLY='@file' && return 0 ;;
  'email update --null') REPLY='fromemail tracktextlinks' && return 0 ;;
  'email update --data') REPLY='@file' && return 0 ;;
  'email lint --editor') REPLY='1 2 3 4' && return 0 ;;
  'email lint --from' | 'email lint --fromemail') REPLY='' && return 0 ;;
  'email lint --from-name' | 'email lint --fromname') REPLY='' && return 0 ;;
  'email lint --html') REPLY='' && return 0 ;;
  'email lint --html-file') REPLY='@file' && return 0 ;;
  'email lint --name') REPLY='' && return 0 ;;
  'email lint --reply-to' | 'email lint --replyemail') REPLY='' && return 0 ;;
  'email lint --subject') REPLY='' && return 0 ;;
  'email lint --text') REPLY='' && return 0 ;;
  'email lint --text-file') REPLY='@file' && return 0 ;;
  'email lint --null') REPLY='fromemail tracktextlinks' && return 0 ;;
  'email lint --data') REPLY='@file' && return 0 ;;
  'email preview --part') REPLY='html text subject' && return 0 ;;
  'email preview --out') REPLY='@file' && return 0 ;;
  'link list --id') REPLY='' && return 0 ;;
  'link list --message' | 'link list --message-id') REPLY='@email' && return 0 ;;
  'link list --task' | 'link list --task-id') REPLY='@task' && return 0 ;;
  'link list --type') REPLY='html text' && return 0 ;;
  'link list --sort') REPLY='id cdate' && return 0 ;;
  'link list --limit' | 'link list -L') REPLY='' && return 0 ;;
  'link exists --id') REPLY='' && return 0 ;;
  'link exists --message' | 'link exists --message-id') REPLY='@email' && return 0 ;;
  'link exists --task' | 'link exists --task-id') REPLY='@task' && return 0 ;;
  'link exists --type') REPLY='html text' && return 0 ;;
  'task list --id') REPLY='' && return 0 ;;
  'task list --channel') REPLY='email sms' && return 0 ;;
  'task list --list' | 'task list --list-id') REPLY='@list' && return 0 ;;
  'task list --message' | 'task list --message-id') REPLY='@message' && return 0 ;;
  'task list --name') REPLY='' && return 0 ;;
  'task list --null') REPLY='list_id' && return 0 ;;
  'task list --sort') REPLY='id endtime name scheduledtime cdate' && return 0 ;;
  'task list --limit' | 'task list -L') REPLY='' && return 0 ;;
  'task exists --id') REPLY='' && return 0 ;;
  'task exists --channel') REPLY='email sms' && return 0 ;;
  'task exists --list' | 'task exists --list-id') REPLY='@list' && return 0 ;;
  'task exists --message' | 'task exists --message-id') REPLY='@message' && return 0 ;;
  'task exists --name') REPLY='' && return 0 ;;
  'task exists --null') REPLY='list_id' && return 0 ;;
  'task create --expect-size') REPLY='' && return 0 ;;
  'task create --hold') REPLY='' && return 0 ;;
  'task create --channel') REPLY='email sms' && return 0 ;;
  'task create --message' | 'task create --message-id') REPLY='@message' && return 0 ;;
  'task create --name') REPLY='' && return 0 ;;
  'task create --at' | 'task create --scheduledtime') REPLY='' && return 0 ;;
  'task create --list' | 'task create --list-id') REPLY='@list' && return 0 ;;
  'task create --search' | 'task create --search-id') REPLY='@search' && return 0 ;;
  'task create --rate') REPLY='' && return 0 ;;
  'task create --null') REPLY='list_id search_id rate' && return 0 ;;
  'task create --data') REPLY='@file' && return 0 ;;
  'task create --key') REPLY='' && return 0 ;;
  'task update --list' | 'task update --list-id') REPLY='@list' && return 0 ;;
  'task update --name') REPLY='' && return 0 ;;
  'task update --at' | 'task update --scheduledtime') REPLY='' && return 0 ;;
  'task update --search' | 'task update --search-id') REPLY='@search' && return 0 ;;
  'task update --null') REPLY='list_id search_id' && return 0 ;;
  'task update --data') REPLY='@file' && return 0 ;;
  'task wait --until') REPLY='completed cancelled' && return 0 ;;
  'task wait --interval') REPLY='' && return 0 ;;
  'task watch --interval') REPLY='' && return 0 ;;
  'task guard --max-bounce') REPLY='' && return 0 ;;
  'task guard --max-complaint') REPLY='' && return 0 ;;
  'task guard --max-unsubscribe') REPLY='' && return 0 ;;
  'task guard --then') REPLY='cancel fail' && return 0 ;;
  'task guard --if-stopped') REPLY='cancel leave' && return 0 ;;
  'task guard --min-sent') REPLY='' && return 0 ;;
  'task guard --interval') REPLY='' && return 0 ;;
  'folder list --id') REPLY='' && return 0 ;;
  'folder list --name') REPLY='' && return 0 ;;
  'folder list --sort') REPLY='id name cdate' && return 0 ;;
  'folder list --limit' | 'folder list -L') REPLY='' && return 0 ;;
  'folder exists --id') REPLY='' && return 0 ;;
  'folder exists --name') REPLY='' && return 0 ;;
  'folder create --name') REPLY='' && return 0 ;;
  'folder create --null') REPLY='' && return 0 ;;
  'folder create --data') REPLY='@file' && return 0 ;;
  'folder create --key') REPLY='' && return 0 ;;
  'folder update --name') REPLY='' && return 0 ;;
  'folder update --null') REPLY='' && return 0 ;;
  'folder update --data') REPLY='@file' && return 0 ;;
  'dnc list --id') REPLY='' && return 0 ;;
  'dnc list --contactdata') REPLY='' && return 0 ;;
  'dnc list --sort') REPLY='id contactdata cdate' && return 0 ;;
  'dnc list --limit' | 'dnc list -L') REPLY='' && return 0 ;;
  'dnc get --id') REPLY='' && return 0 ;;
  'dnc exists --id') REPLY='' && return 0 ;;
  'dnc exists --contactdata') REPLY='' && return 0 ;;
  'dnc add --contactdata') REPLY='' && return 0 ;;
  'dnc remove --contactdata') REPLY='' && return 0 ;;
  'dnc remove --id') REPLY='' && return 0 ;;
  'dnc check --column') REPLY='' && return 0 ;;
  'dnc check --concurrency') REPLY='' && return 0 ;;
  'dnc diff --column') REPLY='' && return 0 ;;
  'dnc import --column') REPLY='' && return 0 ;;
  'dnc import --concurrency') REPLY='' && return 0 ;;
  'dnc import --rejects') REPLY='@file' && return 0 ;;
  'dnc import --state') REPLY='@file' && return 0 ;;
  'dnc export --out') REPLY='@file' && return 0 ;;
  'form list --id') REPLY='' && return 0 ;;
  'form list --name') REPLY='' && return 0 ;;
  'form list --user-id') REPLY='@user' && return 0 ;;
  'form list --sort') REPLY='id name cdate' && return 0 ;;
  'form list --limit' | 'form list -L') REPLY='' && return 0 ;;
  'form exists --id') REPLY='' && return 0 ;;
  'form exists --name') REPLY='' && return 0 ;;
  'subscriber-data list --id') REPLY='' && return 0 ;;
  'subscriber-data list --subscriber' | 'subscriber-data list --subscriber-id') REPLY='' && return 0 ;;
  'subscriber-data list --field' | 'subscriber-data list --subscriberprofilefield-id') REPLY='' && return 0 ;;
  'subscriber-data list --sort') REPLY='subscriber_id subscriberprofilefield_id' && return 0 ;;
  'subscriber-data list --limit' | 'subscriber-data list -L') REPLY='' && return 0 ;;
  'subscriber-data exists --id') REPLY='' && return 0 ;;
  'subscriber-data exists --subscriber' | 'subscriber-data exists --subscriber-id') REPLY='' && return 0 ;;
  'subscriber-data exists --field' | 'subscriber-data exists --subscriberprofilefield-id') REPLY='' && return 0 ;;
  'subscriber-data create --subscriber' | 'subscriber-data create --subscriber-id') REPLY='' && return 0 ;;
  'subscriber-data create --field' | 'subscriber-data create --subscriberprofilefield-id') REPLY='' && return 0 ;;
  'subscriber-data create --value') REPLY='' && return 0 ;;
  'subscriber-data create --null') REPLY='' && return 0 ;;
  'subscriber-data create --data') REPLY='@file' && return 0 ;;
  'subscriber-data update --value') REPLY='' && return 0 ;;
  'subscriber-data update --subscriber' | 'subscriber-data update --subscriber-id') REPLY='' && return 0 ;;
  'subscriber-data update --field' | 'subscriber-data update --subscriberprofilefield-id') REPLY='' && return 0 ;;
  'subscriber-data update --null') REPLY='' && return 0 ;;
  'subscriber-data update --data') REPLY='@file' && return 0 ;;
  'subscriber-data delete --subscriber' | 'subscriber-data delete --subscriber-id') REPLY='' && return 0 ;;
  'subscriber-data delete --field' | 'subscriber-data delete --subscriberprofilefield-id') REPLY='' && return 0 ;;
  'subscriber-data set --subscriber' | 'subscriber-data set --subscriber-id') REPLY='' && return 0 ;;
  'subscriber-data set --field' | 'subscriber-data set --subscriberprofilefield-id') REPLY='' && return 0 ;;
  'subscriber-data set --value') REPLY='' && return 0 ;;
  'subscriber-data set --null') REPLY='' && return 0 ;;
  'subscriber-data set --data') REPLY='@file' && return 0 ;;
  'subscriber-data set --file') REPLY='@file' && return 0 ;;
  'subscriber-data set --concurrency') REPLY='' && return 0 ;;
  'subscriber-data set --rejects') REPLY='@file' && return 0 ;;
  'subscriber-data set --state') REPLY='@file' && return 0 ;;
  'automation list --kind') REPLY='click open subscription date sms' && return 0 ;;
  'automation list --id') REPLY='' && return 0 ;;
  'automation list --name') REPLY='' && return 0 ;;
  'automation list --user-id') REPLY='@user' && return 0 ;;
  'automation list --sort') REPLY='id actionhour actiontimediff name cdate' && return 0 ;;
  'automation list --limit' | 'automation list -L') REPLY='' && return 0 ;;
  'automation get --kind') REPLY='click open subscription date sms' && return 0 ;;
  'automation exists --kind') REPLY='click open subscription date sms' && return 0 ;;
  'automation exists --name') REPLY='' && return 0 ;;
  'automation exists --user-id') REPLY='@user' && return 0 ;;
  'automation create --kind') REPLY='click open subscription date sms' && return 0 ;;
  'automation create --actiontarget') REPLY='' && return 0 ;;
  'automation create --actiontype') REPLY='addtolist email_autoresponder notify sms_autoresponder copytolist movetolist removefromlist' && return 0 ;;
  'automation create --name') REPLY='' && return 0 ;;
  'automation create --link' | 'automation create --link-id') REPLY='@link' && return 0 ;;
  'automation create --message' | 'automation create --message-id') REPLY='@email' && return 0 ;;
  'automation create --summary') REPLY='' && return 0 ;;
  'automation create --actionhour') REPLY='' && return 0 ;;
  'automation create --actiontimediff') REPLY='' && return 0 ;;
  'automation create --after') REPLY='' && return 0 ;;
  'automation create --null') REPLY='link_id message_id summary actionhour keyword email_list_id message_actionhour message_actiontimediff message_actiononweekend notifyemail notifymsisdn notifyurl' && return 0 ;;
  'automation create --data') REPLY='@file' && return 0 ;;
  'automation create --list' | 'automation create --list-id') REPLY='@list' && return 0 ;;
  'automation create --before') REPLY='' && return 0 ;;
  'automation create --keyword') REPLY='' && return 0 ;;
  'automation create --email-list' | 'automation create --email-list-id') REPLY='@list' && return 0 ;;
  'automation create --message-actionhour') REPLY='' && return 0 ;;
  'automation create --message-actiontimediff') REPLY='' && return 0 ;;
  'automation create --notifyemail') REPLY='' && return 0 ;;
  'automation create --notifymsisdn') REPLY='' && return 0 ;;
  'automation create --notifyurl') REPLY='' && return 0 ;;
  'automation create --key') REPLY='' && return 0 ;;
  'automation update --kind') REPLY='click open subscription date sms' && return 0 ;;
  'automation update --link' | 'automation update --link-id') REPLY='@link' && return 0 ;;
  'automation update --message' | 'automation update --message-id') REPLY='@email' && return 0 ;;
  'automation update --actiontarget') REPLY='' && return 0 ;;
  'automation update --actiontype') REPLY='addtolist email_autoresponder notify sms_autoresponder copytolist movetolist removefromlist' && return 0 ;;
  'automation update --name') REPLY='' && return 0 ;;
  'automation update --summary') REPLY='' && return 0 ;;
  'automation update --actionhour') REPLY='' && return 0 ;;
  'automation update --actiontimediff') REPLY='' && return 0 ;;
  'automation update --after') REPLY='' && return 0 ;;
  'automation update --null') REPLY='link_id message_id summary actionhour keyword email_list_id message_actionhour message_actiontimediff message_actiononweekend notifyemail notifymsisdn notifyurl' && return 0 ;;
  'automation update --data') REPLY='@file' && return 0 ;;
  'automation update --list' | 'automation update --list-id') REPLY='@list' && return 0 ;;
  'automation update --before') REPLY='' && return 0 ;;
  'automation update --keyword') REPLY='' && return 0 ;;
  'automation update --email-list' | 'automation update --email-list-id') REPLY='@list' && return 0 ;;
  'automation update --message-actionhour') REPLY='' && return 0 ;;
  'automation update --message-actiontimediff') REPLY='' && return 0 ;;
  'automation update --notifyemail') REPLY='' && return 0 ;;
  'automation update --notifymsisdn') REPLY='' && return 0 ;;
  'automation update --notifyurl') REPLY='' && return 0 ;;
  'automation pause --kind') REPLY='click open subscription date sms' && return 0 ;;
  'automation resume --kind') REPLY='click open subscription date sms' && return 0 ;;
  'automation delete --kind') REPLY='click open subscription date sms' && return 0 ;;
  'init --partner') REPLY='' && return 0 ;;
  'init --key-command') REPLY='' && return 0 ;;
  'profile add --partner') REPLY='' && return 0 ;;
  'profile add --key-command') REPLY='' && return 0 ;;
  'sandbox start --port') REPLY='' && return 0 ;;
  'sandbox start --data') REPLY='' && return 0 ;;
  'sandbox start --seed') REPLY='demo empty' && return 0 ;;
  'sandbox start --clock') REPLY='real manual' && return 0 ;;
  'sandbox start --naming') REPLY='@file' && return 0 ;;
  'sandbox start --smtp') REPLY='' && return 0 ;;
  'sandbox start --allow-smtp') REPLY='' && return 0 ;;
  'sandbox start --allow-notify') REPLY='' && return 0 ;;
  'sandbox stop --data') REPLY='' && return 0 ;;
  'sandbox status --data') REPLY='' && return 0 ;;
  'sandbox reset --data') REPLY='' && return 0 ;;
  'sandbox list create --name') REPLY='' && return 0 ;;
  'sandbox list create --folder') REPLY='@folder' && return 0 ;;
  'sandbox list create --data') REPLY='' && return 0 ;;
  'sandbox list list --data') REPLY='' && return 0 ;;
  'sandbox list delete --data') REPLY='' && return 0 ;;
  'sandbox subscriber create --list') REPLY='@list' && return 0 ;;
  'sandbox subscriber create --email') REPLY='' && return 0 ;;
  'sandbox subscriber create --msisdn') REPLY='' && return 0 ;;
  'sandbox subscriber create --data') REPLY='' && return 0 ;;
  'sandbox subscriber import --list') REPLY='@list' && return 0 ;;
  'sandbox subscriber import --data') REPLY='' && return 0 ;;
  'sandbox subscriber list --list') REPLY='@list' && return 0 ;;
  'sandbox subscriber list --limit') REPLY='' && return 0 ;;
  'sandbox subscriber list --data') REPLY='' && return 0 ;;
  'sandbox field create --name') REPLY='' && return 0 ;;
  'sandbox field create --data') REPLY='' && return 0 ;;
  'sandbox field list --data') REPLY='' && return 0 ;;
  'sandbox search create --name') REPLY='' && return 0 ;;
  'sandbox search create --field') REPLY='' && return 0 ;;
  'sandbox search create --equals') REPLY='' && return 0 ;;
  'sandbox search create --data') REPLY='' && return 0 ;;
  'sandbox search list --data') REPLY='' && return 0 ;;
  'sandbox destination create --destination') REPLY='' && return 0 ;;
  'sandbox destination create --data') REPLY='' && return 0 ;;
  'sandbox form create --name') REPLY='' && return 0 ;;
  'sandbox form create --data') REPLY='' && return 0 ;;
  'sandbox company list --data') REPLY='' && return 0 ;;
  'sandbox company key --data') REPLY='' && return 0 ;;
  'sandbox credits set --email') REPLY='' && return 0 ;;
  'sandbox credits set --sms') REPLY='' && return 0 ;;
  'sandbox credits set --data') REPLY='' && return 0 ;;
  'sandbox sender add --data') REPLY='' && return 0 ;;
  'sandbox sender list --data') REPLY='' && return 0 ;;
  'sandbox user restrict --folder') REPLY='@folder' && return 0 ;;
  'sandbox user restrict --data') REPLY='' && return 0 ;;
  'sandbox event open --message') REPLY='@email' && return 0 ;;
  'sandbox event open --subscriber') REPLY='' && return 0 ;;
  'sandbox event open --task') REPLY='@task' && return 0 ;;
  'sandbox event open --data') REPLY='' && return 0 ;;
  'sandbox event click --link') REPLY='@link' && return 0 ;;
  'sandbox event click --subscriber') REPLY='' && return 0 ;;
  'sandbox event click --task') REPLY='@task' && return 0 ;;
  'sandbox event click --data') REPLY='' && return 0 ;;
  'sandbox event subscribe --list') REPLY='@list' && return 0 ;;
  'sandbox event subscribe --subscriber') REPLY='' && return 0 ;;
  'sandbox event subscribe --data') REPLY='' && return 0 ;;
  'sandbox event unsubscribe --task') REPLY='@task' && return 0 ;;
  'sandbox event unsubscribe --subscriber') REPLY='' && return 0 ;;
  'sandbox event unsubscribe --data') REPLY='' && return 0 ;;
  'sandbox event complaint --task') REPLY='@task' && return 0 ;;
  'sandbox event complaint --subscriber') REPLY='' && return 0 ;;
  'sandbox event complaint --data') REPLY='' && return 0 ;;
  'sandbox event bounce --task') REPLY='@task' && return 0 ;;
  'sandbox event bounce --subscriber') REPLY='' && return 0 ;;
  'sandbox event bounce --data') REPLY='' && return 0 ;;
  'sandbox event date --rule') REPLY='' && return 0 ;;
  'sandbox event date --subscriber') REPLY='' && return 0 ;;
  'sandbox event date --at') REPLY='' && return 0 ;;
  'sandbox event date --data') REPLY='' && return 0 ;;
  'sandbox event sms-in --to') REPLY='' && return 0 ;;
  'sandbox event sms-in --from') REPLY='' && return 0 ;;
  'sandbox event sms-in --text') REPLY='' && return 0 ;;
  'sandbox event sms-in --data') REPLY='' && return 0 ;;
  'sandbox event failed-login --username') REPLY='' && return 0 ;;
  'sandbox event failed-login --data') REPLY='' && return 0 ;;
  'sandbox clock show --data') REPLY='' && return 0 ;;
  'sandbox clock set --data') REPLY='' && return 0 ;;
  'sandbox clock advance --data') REPLY='' && return 0 ;;
  'sandbox clock run --data') REPLY='' && return 0 ;;
  'sandbox queue --until') REPLY='' && return 0 ;;
  'sandbox queue --limit') REPLY='' && return 0 ;;
  'sandbox queue --data') REPLY='' && return 0 ;;
  'sandbox outbox list --to') REPLY='' && return 0 ;;
  'sandbox outbox list --task') REPLY='@task' && return 0 ;;
  'sandbox outbox list --channel') REPLY='email sms notification' && return 0 ;;
  'sandbox outbox list --rule') REPLY='' && return 0 ;;
  'sandbox outbox list --limit') REPLY='' && return 0 ;;
  'sandbox outbox list --data') REPLY='' && return 0 ;;
  'sandbox outbox show --data') REPLY='' && return 0 ;;
  'sandbox outbox export --dir') REPLY='' && return 0 ;;
  'sandbox outbox export --data') REPLY='' && return 0 ;;
  'sandbox fault set --kind') REPLY='error rate-limit slow reset lost-answer' && return 0 ;;
  'sandbox fault set --rate') REPLY='' && return 0 ;;
  'sandbox fault set --times') REPLY='' && return 0 ;;
  'sandbox fault set --match') REPLY='' && return 0 ;;
  'sandbox fault set --delay') REPLY='' && return 0 ;;
  'sandbox fault set --data') REPLY='' && return 0 ;;
  'sandbox fault list --data') REPLY='' && return 0 ;;
  'sandbox fault clear --data') REPLY='' && return 0 ;;
  'sandbox log list --limit') REPLY='' && return 0 ;;
  'sandbox log list --data') REPLY='' && return 0 ;;
  'sandbox snapshot save --data') REPLY='' && return 0 ;;
  'sandbox snapshot restore --data') REPLY='' && return 0 ;;
  'sandbox snapshot list --data') REPLY='' && return 0 ;;
  'sandbox snapshot delete --data') REPLY='' && return 0 ;;
  'api --data') REPLY='@file' && return 0 ;;
  'log list --since') REPLY='' && return 0 ;;
  'log list --resource') REPLY='' && return 0 ;;
  'log list --command') REPLY='' && return 0 ;;
  'log list --limit') REPLY='' && return 0 ;;
  'log tail --lines') REPLY='' && return 0 ;;
  esac
  return 1
}

# The words up to the cursor as they were typed, in typed: bash takes : and = for words of their own.
_svc_typed() {
  local i word isJoined=''
  typed=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ $word == = ]]; then
      ((i == COMP_CWORD)) && typed[${#typed[@]}]=''
    elif [[ $word == :* && ${#typed[@]} -gt 0 ]]; then
      typed[${#typed[@]} - 1]+="$word"
      isJoined=1
      continue
    elif [[ -n $isJoined ]]; then
      typed[${#typed[@]} - 1]+="$word"
    else
      typed[${#typed[@]}]="$word"
    fi
    isJoined=''
  done
}

# Adds to COMPREPLY what svc knows of kind $1: ids with names where several are listed, the id where it is put in.
_svc_look_up() {
  local value name line i width=0 values names
  values=() names=()
  while IFS=$'\t' read -r value name; do
    [[ $value == "$cur"* ]] || continue
    [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] && value="${value#"${cur%"${cur##*:}"}"}"
    values[${#values[@]}]="$value"
    names[${#names[@]}]="$name"
    ((${#value} > width)) && width=${#value}
  done < <(command svc __complete "$1" "$cur" "${typed[@]:0:${#typed[@]} - 1}" 2>/dev/null </dev/null)
  # Neither sorted as words nor mixed with names of files; bash 3.2 has no such options.
  compopt -o nosort +o default 2>/dev/null
  ((${#values[@]})) || return
  if ((${#values[@]} + ${#COMPREPLY[@]} == 1)) || [[ ${COMP_TYPE-} == 37 || ${COMP_TYPE-} == 42 ]]; then
    COMPREPLY=("${COMPREPLY[@]}" "${values[@]}")
    return
  fi
  for ((i = 0; i < ${#values[@]}; i++)); do
    line="${values[i]}"
    [[ -z ${names[i]} ]] || printf -v line "%-${width}s  %s" "${values[i]}" "${names[i]}"
    COMPREPLY[${#COMPREPLY[@]}]="$line"
  done
}

_svc_offer() {
  local each fixed=''
  COMPREPLY=()
  for each in $REPLY; do
    [[ $each == @* ]] || fixed="$fixed $each"
  done
  [[ -z $fixed ]] || COMPREPLY=($(compgen -W "$fixed" -- "$cur"))
  for each in $REPLY; do
    [[ $each == @* ]] || continue
    if [[ $each == @file ]]; then COMPREPLY=($(compgen -f -- "$cur")); else _svc_look_up "${each#@}"; fi
  done
}

_svc() {
  local cur place='' word count=0 isValue='' i last REPLY typed IFS=$' \t\n'
  _svc_typed
  ((${#typed[@]})) || return
  last=$((${#typed[@]} - 1))
  cur="${typed[last]}"
  for ((i = 0; i < last; i++)); do
    word="${typed[i]}"
    if [[ -n $isValue ]]; then
      isValue=''
    elif [[ $word == -* ]]; then
      ! _svc_flag_values "$place" "$word" || isValue=1
    else
      _svc_commands "$place"
      case " $REPLY " in
      *" $word "*) place="${place:+$place }$word" place="${place#help }" ;;
      *) count=$((count + 1)) ;;
      esac
    fi
  done
  COMPREPLY=()
  if [[ -n $isValue ]]; then
    _svc_flag_values "$place" "${typed[last - 1]}"
  elif [[ $cur == -* ]]; then
    _svc_flags "$place"
  else
    REPLY=''
    ((count)) || _svc_commands "$place"
    word="$REPLY"
    _svc_operands "$place" "$count"
    REPLY="$word $REPLY"
  fi
  _svc_offer
}

complete -o default -F _svc svc
