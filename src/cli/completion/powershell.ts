import { type FlagWords, globals, type Place } from './tree.ts';

export function powershellScript(places: readonly Place[]): string {
  return `# PowerShell completion of svc. Made by: svc completion powershell
# Load it:  svc completion powershell | Out-String | Invoke-Expression

$script:SvcGlobals = ${list(globals)}
$script:SvcPlaces = @{
${places.map(placeEntry).join('\n')}
}

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  $place = ''
  foreach ($word in $words) {
    $next = "$place $word".Trim()
    if ($script:SvcPlaces.ContainsKey($next)) { $place = $next }
  }
  $here = $script:SvcPlaces[$place]
  $flags = @($here.Flags) + $script:SvcGlobals
  $previous = if ($words.Count -gt 0) { $words[-1] } else { '' }
  $flag = $flags | Where-Object { $_.Value -and ($_.Names -ccontains $previous) } | Select-Object -First 1
  $candidates = @(
    if ($flag) { $flag.Values | ForEach-Object { @{ Word = $_; About = $_ } } }
    elseif ($wordToComplete.StartsWith('-')) {
      foreach ($each in $flags) { foreach ($name in $each.Names) { @{ Word = $name; About = $each.About } } }
    }
    else {
      $here.Commands
      $here.Values | ForEach-Object { @{ Word = $_; About = $_ } }
    }
  )
  $candidates | Where-Object { $_ -and $_.Word.StartsWith($wordToComplete) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_.Word, $_.Word, 'ParameterValue', $_.About)
  }
}
`;
}

function placeEntry({ path, commands, flags, values }: Place): string {
  const words = commands.map(
    ({ name, summary }) => `@{ Word = ${quoted(name)}; About = ${quoted(summary)} }`,
  );
  return `  ${quoted(path)} = @{ Commands = @(${words.join(', ')}); Values = @(${values.map(quoted).join(', ')}); Flags = ${list(flags)} }`;
}

function list(flags: readonly FlagWords[]): string {
  const entries = flags.map(({ spellings, summary, takesValue, values }) => {
    const names = spellings.map(quoted).join(', ');
    const value = takesValue ? '$true' : '$false';
    return `@{ Names = @(${names}); About = ${quoted(summary)}; Value = ${value}; Values = @(${values.map(quoted).join(', ')}) }`;
  });
  return `@(${entries.join(', ')})`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
