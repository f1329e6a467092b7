# PowerShell completion of svc. Made by: svc completion powershell
# Load it:  svc completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $svc = Get-Command svc -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
  if (-not $svc) { return }
  $length = $cursorPosition - $commandAst.Extent.StartOffset
  # Older versions lose the quotes of an argument, so the line is passed in the environment.
  $env:SVC_COMPLETE_LINE = $commandAst.ToString().PadRight($length).Substring(0, $length)
  try { $kind, $lines = & $svc __complete powershell 2>$null } finally { Remove-Item Env:SVC_COMPLETE_LINE }
  foreach ($line in $lines) {
    $word, $shown, $about = $line -split [char]9, 3
    [System.Management.Automation.CompletionResult]::new($word, $shown, 'ParameterValue', $about)
  }
  # Without any result PowerShell offers names of files.
  if (-not $lines -and $kind -ne 'files') { '' }
}
