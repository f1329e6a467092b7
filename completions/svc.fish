# fish completion of svc. Made by: svc completion fish
# Load it:  svc completion fish | source

# Asks svc for the words at the cursor. Fails where fish completes names of files by itself.
function __svc_ask
    set -l answer (command svc __complete fish (commandline -cp | string collect) 2>/dev/null </dev/null)
    set -g __svc_words $answer[2..-1]
    test "$answer[1]" = files
    or return 0
    test (count $__svc_words) -gt 0
    or return 1
    set -a __svc_words (__fish_complete_path (commandline -ct))
end

complete -c svc -e
complete -c svc -f -k -n __svc_ask -a '$__svc_words'
