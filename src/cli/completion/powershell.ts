import { type FlagWords, globals, type Offered, type Place } from './tree.ts';

export function powershellScript(places: readonly Place[]): string {
  return `# PowerShell completion of svc. Made by: svc completion powershell
# Load it:  svc completion powershell | Out-String | Invoke-Expression

$script:SvcGlobals = ${list(globals)}
$script:SvcPlaces = @{
${places.map(placeEntry).join('\n')}
}

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  # A quote may have been opened.
  $typed = $wordToComplete.Trim("'", '"')
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  $place = ''
  $count = 0
  $flag = $null
  foreach ($word in $words) {
    $flags = @($script:SvcPlaces[$place].Flags) + $script:SvcGlobals
    if ($flag) { $flag = $null; continue }
    if ($word.StartsWith('-')) {
      $flag = $flags | Where-Object { $_.Value -and ($_.Names -ccontains $word) } | Select-Object -First 1
      continue
    }
    $next = "$place $word".Trim() -creplace '^help (?=.)', ''
    if ($script:SvcPlaces.ContainsKey($next)) { $place = $next } else { $count++ }
  }
  $here = $script:SvcPlaces[$place]
  $flags = @($here.Flags) + $script:SvcGlobals
  # What svc knows of a kind: ids, with their names beside them.
  function LookUp($kind) {
    if (-not $kind) { return }
    $svc = Get-Command svc -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
    if (-not $svc) { return }
    # An empty word would be lost on the way in older versions.
    $asked = if ($typed) { $typed } else { '--' }
    foreach ($line in @(& $svc __complete $kind $asked @words 2>$null)) {
      $value, $name = $line -split [char]9, 2
      @{ Word = $value; About = if ($name) { $name } else { $value }; Shown = "$value  $name".Trim() }
    }
  }
  function Offer($offered) {
    $offered.Values | ForEach-Object { @{ Word = $_; About = $_ } }
    LookUp $offered.Live
  }
  $candidates = @(
    if ($flag) { Offer $flag }
    elseif ($wordToComplete.StartsWith('-')) {
      foreach ($each in $flags) { foreach ($name in $each.Names) { @{ Word = $name; About = $each.About } } }
    }
    else {
      if ($count -eq 0) { $here.Commands }
      $operands = @($here.Operands)
      if ($count -lt $operands.Count) { Offer $operands[$count] }
      elseif ($here.IsOpen) { Offer $operands[-1] }
    }
  )
  $candidates | Where-Object { $_ -and $_.Word -and $_.Word.StartsWith($typed) } | ForEach-Object {
    $shown = if ($_.Shown) { $_.Shown } else { $_.Word }
    # A comma would make two words of one; of the kinds of quotes PowerShell takes these for the same.
    $isPlain = $_.Word -cmatch '^[A-Za-z0-9_.:/+-]+$'
    $written = if ($isPlain) { $_.Word } else { "'" + ($_.Word -replace "['\\u2018-\\u201b]", '$0$0') + "'" }
    [System.Management.Automation.CompletionResult]::new($written, $shown, 'ParameterValue', $_.About)
  }
}
`;
}

function placeEntry({ path, commands, flags, operands, isOpen }: Place): string {
  const words = commands.map(
    ({ name, summary }) => `@{ Word = ${quoted(name)}; About = ${quoted(summary)} }`,
  );
  const entries = [
    `Commands = @(${words.join(', ')})`,
    `Operands = @(${operands.map((operand) => `@{ ${offered(operand)} }`).join(', ')})`,
    `IsOpen = ${isOpen ? '$true' : '$false'}`,
    `Flags = ${list(flags)}`,
  ];
  return `  ${quoted(path)} = @{ ${entries.join('; ')} }`;
}

function list(flags: readonly FlagWords[]): string {
  const entries = flags.map((flag) => {
    const names = flag.spellings.map(quoted).join(', ');
    const value = flag.takesValue ? '$true' : '$false';
    return `@{ Names = @(${names}); About = ${quoted(flag.summary)}; Value = ${value}; ${offered(flag)} }`;
  });
  return `@(${entries.join(', ')})`;
}

const offered = ({ values, live }: Offered): string =>
  `Values = @(${values.map(quoted).join(', ')}); Live = ${quoted(live ?? '')}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
