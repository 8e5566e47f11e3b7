import { print, printJson } from "../../display/print.ts";

export type Shell = "bash" | "zsh" | "fish";

/** Prints what a shell is to load. All of it asks `baton internal complete`, so that it stays as it is when commands come. */
export function completion(shell: Shell, { json }: { json?: boolean }): number {
  if (json) printJson({ shell, script: SCRIPTS[shell] });
  else print(SCRIPTS[shell]);
  return 0;
}

/**
 * `command baton`: the one on the path, whatever was typed. A name in the line could be that of a program in the folder at hand.
 * Answers are put into the line as they are, and never expanded.
 */
const SCRIPTS: Record<Shell, string> = {
  bash: `# bash completion for baton, from: baton completion bash
_baton() {
  local line itself= cur=\${COMP_WORDS[COMP_CWORD]}
  [ "$cur" = "=" ] && cur=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) itself=\${line#:} ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(command baton internal complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)
  [ \${#COMPREPLY[@]} -gt 0 ] && return
  case $itself in
    files) compopt -o default 2>/dev/null || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur") ;;
    folders) compopt -o dirnames 2>/dev/null || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$cur") ;;
  esac
}
complete -F _baton baton`,

  zsh: `#compdef baton
# zsh completion for baton, from: baton completion zsh
_baton() {
  local line itself
  local -a lines described
  lines=("\${(@f)$(command baton internal complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    case $line in
      :*) itself=\${line#:} ;;
      *$'\\t'*) described+=("\${line%%$'\\t'*}:\${line#*$'\\t'}") ;;
    esac
  done
  if (( \${#described} )); then
    _describe -V baton described && return
  fi
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  case $itself in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [ "$funcstack[1]" = _baton ]; then
  _baton "$@"
else
  compdef _baton baton
fi`,

  fish: `# fish completion for baton, from: baton completion fish
function __baton_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -e words[1]
    set -l itself
    set -l found 0
    for line in (command baton internal complete -- $words "$cur" 2>/dev/null)
        if string match -q ':*' -- $line
            set itself (string sub -s 2 -- $line)
        else
            set found 1
            echo $line
        end
    end
    test $found = 1; and return
    set -l lead (string match -r -- '^--[^=]+=' "$cur")
    set -l path (string replace -r -- '^--[^=]+=' '' "$cur")
    switch "$itself"
        case files
            printf '%s\\n' "$lead"(__fish_complete_path "$path")
        case folders
            printf '%s\\n' "$lead"(__fish_complete_directories "$path")
    end
end
complete -c baton -f -k -a '(__baton_complete)'`,
};
