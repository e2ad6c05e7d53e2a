
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'hashlane' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'hashlane'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'hashlane' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Measure how fast this machine reads, writes and digests')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Show a saved run, make its page, or export its figures')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare runs and machines, cell by cell')
            [CompletionResult]::new('sum', 'sum', [CompletionResultType]::ParameterValue, 'Print the digests of files and trees')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Verify that files still have the digests that a manifest lists')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Report what differs between two manifests, two trees, or one of each')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Convert a manifest to another format')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Join the manifests of shards into one')
            [CompletionResult]::new('formats', 'formats', [CompletionResultType]::ParameterValue, 'List the manifest formats: how each is detected, and what it stores')
            [CompletionResult]::new('collection', 'collection', [CompletionResultType]::ParameterValue, 'Register trees of files that are audited over time')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Audit collections: what is missing, changed, corrupt or new?')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how the collections are: one sentence, and a row for each')
            [CompletionResult]::new('history', 'history', [CompletionResultType]::ParameterValue, 'Show what is known of a file, and what happened to it')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'List what happened, in one order, and follow it')
            [CompletionResult]::new('accept', 'accept', [CompletionResultType]::ParameterValue, 'Accept files as they are now')
            [CompletionResult]::new('acknowledge', 'acknowledge', [CompletionResultType]::ParameterValue, 'Say that a finding is known, so that it alarms nobody')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Check, copy and compact the catalogue, and list its seals and what was changed')
            [CompletionResult]::new('tell', 'tell', [CompletionResultType]::ParameterValue, 'Tell people what audits find, as the configuration says')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Check or show the configuration')
            [CompletionResult]::new('known', 'known', [CompletionResultType]::ParameterValue, 'Index sets of known contents, and look up digests')
            [CompletionResult]::new('bag', 'bag', [CompletionResultType]::ParameterValue, 'Make bags (BagIt, RFC 8493) and verify them')
            [CompletionResult]::new('mhl', 'mhl', [CompletionResultType]::ParameterValue, 'Make, verify and show histories of media (ASC MHL 2.0)')
            [CompletionResult]::new('backends', 'backends', [CompletionResultType]::ParameterValue, 'Measure how fast each backend of this CPU computes each algorithm')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Measure how best to read the device of PATH, and save that for sum and check')
            [CompletionResult]::new('as', 'as', [CompletionResultType]::ParameterValue, 'Act as an older program, with the same options, output and exit codes')
            [CompletionResult]::new('install-links', 'install-links', [CompletionResultType]::ParameterValue, 'Make links to this program under the names of the older programs')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write man pages or completions into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;bench' {
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Directory for the test files, on the disk to be measured')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Directory for the test files, on the disk to be measured')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m [default: 60s; with --quick: 9s]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for file contents and the order of the cells')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--run-name', '--run-name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Take ten seconds: smaller files, shorter samples, wider intervals')
            [CompletionResult]::new('--no-host-name', '--no-host-name', [CompletionResultType]::ParameterName, 'Leave the name of this host out of the run file and the page')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines are at most 100 characters wide')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the run as JSON, with every sample, instead of tables')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Print bars below the tables')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the run')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('io', 'io', [CompletionResultType]::ParameterValue, 'Measure how this machine reads and writes files: block sizes, system calls and threads')
            [CompletionResult]::new('pipeline', 'pipeline', [CompletionResultType]::ParameterValue, 'Measure reading and digesting, alone and together, by block size and by reading thread')
            [CompletionResult]::new('machine', 'machine', [CompletionResultType]::ParameterValue, 'Measure programs on copies of a dictionary, and compare this engine with them')
            [CompletionResult]::new('speed', 'speed', [CompletionResultType]::ParameterValue, 'Measure digests of messages in memory, by algorithm and message size')
            [CompletionResult]::new('variant', 'variant', [CompletionResultType]::ParameterValue, 'Compare programs or builds with each other')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;bench;io' {
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Write FILE once, as COUNT blocks of BLOCK bytes, until it is on the device; it is kept')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Write FILE once, as COUNT blocks of BLOCK bytes, until it is on the device; it is kept')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words')
            [CompletionResult]::new('--read', '--read', [CompletionResultType]::ParameterName, 'Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words')
            [CompletionResult]::new('--reasonable', '--reasonable', [CompletionResultType]::ParameterName, 'Find the size of a file that takes 5 to 15 seconds to read in blocks of BLOCK bytes')
            [CompletionResult]::new('--block', '--block', [CompletionResultType]::ParameterName, 'Block sizes for reading, separated by commas, such as 512,4KiB,1MiB [default: ten from 512 to 16MiB]')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Drop kernel caches of the whole machine before each cold sample: 1 the page cache, 2 names and inodes, 3 both; needs root')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Directory for the files, on the disk to be measured')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Directory for the files, on the disk to be measured')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--run-name', '--run-name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for contents and the order of the cells')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--i-know', '--i-know', [CompletionResultType]::ParameterName, 'Read a FILE that is a device, or overwrite an existing FILE')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Take less than half a minute: fewer cells, shorter samples, wider intervals')
            [CompletionResult]::new('--as-published', '--as-published', [CompletionResultType]::ParameterName, 'Measure what the original study measured, with its sizes and numbers')
            [CompletionResult]::new('--classic', '--classic', [CompletionResultType]::ParameterName, 'Print the tables of the original study instead of ours')
            [CompletionResult]::new('--no-host-name', '--no-host-name', [CompletionResultType]::ParameterName, 'Leave the name of this host out of the run file and the page')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines are at most 100 characters wide')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the run as JSON, with every sample, instead of tables')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Print bars below the tables')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the run')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;bench;pipeline' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256]')
            [CompletionResult]::new('--block', '--block', [CompletionResultType]::ParameterName, 'Block sizes, separated by commas [default: 4096,8192,10000,1MiB; with --quick: 8KiB,1MiB]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'What reads, separated by commas: the thread that digests, a separate thread, or a read engine [default: all]')
            [CompletionResult]::new('--buffers', '--buffers', [CompletionResultType]::ParameterName, 'Number of blocks between reading and digesting')
            [CompletionResult]::new('--cache-state', '--cache-state', [CompletionResultType]::ParameterName, 'Read files that are in the page cache, files that are not, or both')
            [CompletionResult]::new('--files', '--files', [CompletionResultType]::ParameterName, 'Number of files to make [default: 8; with --quick: 2]')
            [CompletionResult]::new('--file-size', '--file-size', [CompletionResultType]::ParameterName, 'Size of each file [default: 8MB; with --quick: 3MB]')
            [CompletionResult]::new('--most', '--most', [CompletionResultType]::ParameterName, 'Total bytes to read below DIR; files are taken in order of name, and one that would exceed this is skipped')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Directory for the files, on the disk or in the memory that they are read from')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Directory for the files, on the disk or in the memory that they are read from')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--run-name', '--run-name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for contents and the order of the cells')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Take less than half a minute: fewer cells, shorter samples, wider intervals')
            [CompletionResult]::new('--as-published', '--as-published', [CompletionResultType]::ParameterName, 'Measure what the original study measured, with its sizes and numbers')
            [CompletionResult]::new('--classic', '--classic', [CompletionResultType]::ParameterName, 'Print the tables of the original study instead of ours')
            [CompletionResult]::new('--no-host-name', '--no-host-name', [CompletionResultType]::ParameterName, 'Leave the name of this host out of the run file and the page')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines are at most 100 characters wide')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the run as JSON, with every sample, instead of tables')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Print bars below the tables')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the run')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;bench;machine' {
            [CompletionResult]::new('--programs', '--programs', [CompletionResultType]::ParameterName, 'Programs, separated by commas [default: all five]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'What to measure: programs, this engine in one process, or both')
            [CompletionResult]::new('--corpus', '--corpus', [CompletionResultType]::ParameterName, 'What inputs are made of: `dictionary`, which is /usr/share/dict/american-english, or `word-list` if that does not exist; `word-list`, which is the same on every machine; `random`; or a FILE')
            [CompletionResult]::new('--copies', '--copies', [CompletionResultType]::ParameterName, 'Copies in each input, separated by commas [default: 1,32; with --quick: 1,16; as published: 1,512]')
            [CompletionResult]::new('--iterations', '--iterations', [CompletionResultType]::ParameterName, 'Effective iterations, counting all copies [default: 32,64,128; with --quick: 16,32; as published: 1Kib,5Kib,10Kib,15Kib]')
            [CompletionResult]::new('--sink', '--sink', [CompletionResultType]::ParameterName, 'Where the output of the programs goes; dd writes all that it reads')
            [CompletionResult]::new('--dd-block', '--dd-block', [CompletionResultType]::ParameterName, 'Block size of dd [default: 32KiB, as in the other programs; as published: the default of dd]')
            [CompletionResult]::new('--sysperf-dir', '--sysperf-dir', [CompletionResultType]::ParameterName, 'Write files of sysperf, which name this host, into DIR; measurements are added to existing ones')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Directory for the inputs, on the disk or in the memory that they are read from')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Directory for the inputs, on the disk or in the memory that they are read from')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--run-name', '--run-name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for contents and the order of the cells')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Take less than half a minute: fewer cells, shorter samples, wider intervals')
            [CompletionResult]::new('--as-published', '--as-published', [CompletionResultType]::ParameterName, 'Measure what the original study measured, with its sizes and numbers')
            [CompletionResult]::new('--classic', '--classic', [CompletionResultType]::ParameterName, 'Print the tables of the original study instead of ours')
            [CompletionResult]::new('--no-host-name', '--no-host-name', [CompletionResultType]::ParameterName, 'Leave the name of this host out of the run file and the page')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines are at most 100 characters wide')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the run as JSON, with every sample, instead of tables')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Print bars below the tables')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the run')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;bench;speed' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]')
            [CompletionResult]::new('--size', '--size', [CompletionResultType]::ParameterName, 'Message sizes, separated by commas, such as 64,10kB,1MiB [default: nine from 16 to 16MiB]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Numbers of threads, separated by commas; a number above that of cores counts as all cores [default: 1 and all]')
            [CompletionResult]::new('--plugin', '--plugin', [CompletionResultType]::ParameterName, 'Also measure `void test_NAME(char *buf, int size)` of the shared library FILE, on one thread')
            [CompletionResult]::new('--form', '--form', [CompletionResultType]::ParameterName, 'Messages one after the other, side by side in lanes, or both')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--run-name', '--run-name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for contents and the order of the cells')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Take less than half a minute: fewer cells, shorter samples, wider intervals')
            [CompletionResult]::new('--as-published', '--as-published', [CompletionResultType]::ParameterName, 'Measure what the original study measured, with its sizes and numbers')
            [CompletionResult]::new('--classic', '--classic', [CompletionResultType]::ParameterName, 'Print the tables of the original study instead of ours')
            [CompletionResult]::new('--no-host-name', '--no-host-name', [CompletionResultType]::ParameterName, 'Leave the name of this host out of the run file and the page')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines are at most 100 characters wide')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the run as JSON, with every sample, instead of tables')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Print bars below the tables')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the run')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;bench;variant' {
            [CompletionResult]::new('--command', '--command', [CompletionResultType]::ParameterName, 'Command to run as it is, without a file; once per command. Results are compared only with --result')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of a variant, once per command, in the same order [default: the command]')
            [CompletionResult]::new('--setup', '--setup', [CompletionResultType]::ParameterName, 'Shell command to run before anything is timed, once per command, in the same order; may be empty')
            [CompletionResult]::new('--build-dir', '--build-dir', [CompletionResultType]::ParameterName, 'Directory in which a variant is set up and run, once per command, in the same order; may be empty')
            [CompletionResult]::new('--sizes', '--sizes', [CompletionResultType]::ParameterName, 'File sizes, separated by commas [default: 10MB,100MB,1GB; with --quick: 1MB,10MB]')
            [CompletionResult]::new('--result', '--result', [CompletionResultType]::ParameterName, 'Where the result is in the output of a command: the first group of REGEX, or all of it')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Kill a run that takes longer than TIME')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Directory for the files, on the disk or in the memory that they are read from')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Directory for the files, on the disk or in the memory that they are read from')
            [CompletionResult]::new('--run-name', '--run-name', [CompletionResultType]::ParameterName, 'Name of the run, which the run file stores and `report` and `compare` show')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for contents and the order of the cells')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the run to FILE, and the page beside it')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--shell', '--shell', [CompletionResultType]::ParameterName, 'Run each command by `sh -c`, so that pipes and variables work; the start of the shell is part of its time')
            [CompletionResult]::new('--ignore-failure', '--ignore-failure', [CompletionResultType]::ParameterName, 'Count a run also if the command fails')
            [CompletionResult]::new('--cold', '--cold', [CompletionResultType]::ParameterName, 'Drop the file from the page cache before each run')
            [CompletionResult]::new('--no-result', '--no-result', [CompletionResultType]::ParameterName, 'Do not compare results')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Take less than half a minute: fewer cells, shorter samples, wider intervals')
            [CompletionResult]::new('--as-published', '--as-published', [CompletionResultType]::ParameterName, 'Measure what the original study measured, with its sizes and numbers')
            [CompletionResult]::new('--classic', '--classic', [CompletionResultType]::ParameterName, 'Print the tables of the original study instead of ours')
            [CompletionResult]::new('--no-host-name', '--no-host-name', [CompletionResultType]::ParameterName, 'Leave the name of this host out of the run file and the page')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines are at most 100 characters wide')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the run as JSON, with every sample, instead of tables')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Print bars below the tables')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the run')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;bench;help' {
            [CompletionResult]::new('io', 'io', [CompletionResultType]::ParameterValue, 'Measure how this machine reads and writes files: block sizes, system calls and threads')
            [CompletionResult]::new('pipeline', 'pipeline', [CompletionResultType]::ParameterValue, 'Measure reading and digesting, alone and together, by block size and by reading thread')
            [CompletionResult]::new('machine', 'machine', [CompletionResultType]::ParameterValue, 'Measure programs on copies of a dictionary, and compare this engine with them')
            [CompletionResult]::new('speed', 'speed', [CompletionResultType]::ParameterValue, 'Measure digests of messages in memory, by algorithm and message size')
            [CompletionResult]::new('variant', 'variant', [CompletionResultType]::ParameterValue, 'Compare programs or builds with each other')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;bench;help;io' {
            break
        }
        'hashlane;bench;help;pipeline' {
            break
        }
        'hashlane;bench;help;machine' {
            break
        }
        'hashlane;bench;help;speed' {
            break
        }
        'hashlane;bench;help;variant' {
            break
        }
        'hashlane;bench;help;help' {
            break
        }
        'hashlane;report' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: tables, CSV rows, Prometheus gauges, Google Benchmark JSON, or the page [default: text; with --output: html]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE instead of standard output')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Print bars below the tables')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines are at most 100 characters wide')
            [CompletionResult]::new('--classic', '--classic', [CompletionResultType]::ParameterName, 'Print the tables of the original study instead of ours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;compare' {
            [CompletionResult]::new('--reference', '--reference', [CompletionResultType]::ParameterName, 'The machine to compare with: the name of a run, a host, or a file [default: the first]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: by the extension of --output, else text]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE instead of standard output')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Show all columns; by default lines of text are at most 100 characters wide')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;sum' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256]')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the manifest [default: gnu; with several algorithms: bsd]')
            [CompletionResult]::new('--pieces', '--pieces', [CompletionResultType]::ParameterName, 'Also digest each file in pieces of SIZE')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--files0-out', '--files0-out', [CompletionResultType]::ParameterName, 'Write the names of the listed files to FILE, for `xargs -0`')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read file names from FILE, one per line; `-` is standard input')
            [CompletionResult]::new('--files0-from', '--files0-from', [CompletionResultType]::ParameterName, 'Read NUL-terminated file names from FILE, as `find -print0` writes them')
            [CompletionResult]::new('--known', '--known', [CompletionResultType]::ParameterName, 'Look up contents in FILE: an index of `hashlane known build`, or a manifest')
            [CompletionResult]::new('--known-digest', '--known-digest', [CompletionResultType]::ParameterName, 'Digest of a known content, as `sha256:HEX`; may be repeated')
            [CompletionResult]::new('--unseen', '--unseen', [CompletionResultType]::ParameterName, 'Write known contents that were not found to FILE, one digest and name per line')
            [CompletionResult]::new('--update', '--update', [CompletionResultType]::ParameterName, 'Bring MANIFEST up to date: read only what is new or has changed')
            [CompletionResult]::new('--trust', '--trust', [CompletionResultType]::ParameterName, 'With --update: what shows that a listed file is unchanged')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Types of files to read in directories')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Only files that match GLOB; may be repeated')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip files and directories that match GLOB; may be repeated')
            [CompletionResult]::new('--ignore-file', '--ignore-file', [CompletionResultType]::ParameterName, 'Skip what the patterns in FILE match, in gitignore syntax')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Skip files smaller than SIZE, such as 100MB or 64KiB')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Skip files larger than SIZE')
            [CompletionResult]::new('--newer-than', '--newer-than', [CompletionResultType]::ParameterName, 'Skip files last modified before TIME, such as 2026-01-31 or 7d')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Skip files last modified at TIME or later')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--endpoint', '--endpoint', [CompletionResultType]::ParameterName, 'URL of the server of a store [default: what the environment names, else the provider''s]')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]')
            [CompletionResult]::new('--max-requests', '--max-requests', [CompletionResultType]::ParameterName, 'Make at most N requests of an object store')
            [CompletionResult]::new('--retries', '--retries', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]')
            [CompletionResult]::new('--retry-for', '--retry-for', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again for TIME, such as 10m')
            [CompletionResult]::new('--shard', '--shard', [CompletionResultType]::ParameterName, 'Read only part I of N of what is listed, for N machines that share the work')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd')
            [CompletionResult]::new('--base64', '--base64', [CompletionResultType]::ParameterName, 'Write digests in base64, with or without --tag; short for --manifest-format base64')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--header', '--header', [CompletionResultType]::ParameterName, 'Begin with a header that states which run wrote the manifest, and of what')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)')
            [CompletionResult]::new('--strict-hashdeep', '--strict-hashdeep', [CompletionResultType]::ParameterName, 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'List only files whose content is known')
            [CompletionResult]::new('--no-match', '--no-match', [CompletionResultType]::ParameterName, 'List only files whose content is not known')
            [CompletionResult]::new('--show-matched-by', '--show-matched-by', [CompletionResultType]::ParameterName, 'Print what each file matches instead of its digests: `PATH: matches NAME (SET)`')
            [CompletionResult]::new('--fail-on-change', '--fail-on-change', [CompletionResultType]::ParameterName, 'With --update: exit with 1 for added, 2 for gone, 4 for changed files; these add up, and a moved file counts as added and gone')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Walk directories: the default; accepted for compatibility')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Walk directories: the default; accepted for compatibility')
            [CompletionResult]::new('--no-recursive', '--no-recursive', [CompletionResultType]::ParameterName, 'Refuse directories')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the file system of the named directory')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of the named directory')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Follow symbolic links; by default they are counted and skipped')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow symbolic links; by default they are counted and skipped')
            [CompletionResult]::new('--no-links-once', '--no-links-once', [CompletionResultType]::ParameterName, 'Read a file with several names (hard links) once for each name instead of once')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--no-sign-request', '--no-sign-request', [CompletionResultType]::ParameterName, 'Ask without credentials, for objects that everybody may read')
            [CompletionResult]::new('--requester-pays', '--requester-pays', [CompletionResultType]::ParameterName, 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that')
            [CompletionResult]::new('--versions', '--versions', [CompletionResultType]::ParameterName, 'Read all versions that a bucket of S3 keeps, not only the current ones')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only list the objects, and print how many bytes and requests it would take to read them')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print the summary line')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print the summary line')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;check' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'The algorithm of a manifest that does not name it')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'The algorithm of a manifest that does not name it')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the manifests [default: detected]')
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'Resolve names relative to DIR, and refuse those that lead out of it')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Where --complete and --audit look for files; may be repeated')
            [CompletionResult]::new('--strip-prefix', '--strip-prefix', [CompletionResultType]::ParameterName, 'Remove PREFIX from the listed names')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'How names are written in the list: `windows`, a code page such as `cp1252`, or both, separated by a comma')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Only files that match GLOB; may be repeated')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip files and directories that match GLOB; may be repeated')
            [CompletionResult]::new('--ignore-file', '--ignore-file', [CompletionResultType]::ParameterName, 'Skip what the patterns in FILE match, in gitignore syntax')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Skip files smaller than SIZE, such as 100MB or 64KiB')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Skip files larger than SIZE')
            [CompletionResult]::new('--newer-than', '--newer-than', [CompletionResultType]::ParameterName, 'Skip files last modified before TIME, such as 2026-01-31 or 7d')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Skip files last modified at TIME or later')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text` as in coreutils, `json` as one object per line')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write results to FILE, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write results to FILE, which appears only when complete')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'With --audit: memory for the listed entries, such as 64MiB or 1GB; beyond it, temporary files are used and all verdicts come at the end')
            [CompletionResult]::new('--temporary-directory', '--temporary-directory', [CompletionResultType]::ParameterName, 'With --audit: directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--endpoint', '--endpoint', [CompletionResultType]::ParameterName, 'URL of the server of a store [default: what the environment names, else the provider''s]')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]')
            [CompletionResult]::new('--max-requests', '--max-requests', [CompletionResultType]::ParameterName, 'Make at most N requests of an object store')
            [CompletionResult]::new('--retries', '--retries', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]')
            [CompletionResult]::new('--retry-for', '--retry-for', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again for TIME, such as 10m')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'Lines end with NUL, and nothing is escaped')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'Lines end with NUL, and nothing is escaped')
            [CompletionResult]::new('--pieces', '--pieces', [CompletionResultType]::ParameterName, 'Treat names that end like ` offset 0-1023` as pieces of files')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'Also report files that exist but are not listed')
            [CompletionResult]::new('--names-only', '--names-only', [CompletionResultType]::ParameterName, 'Compare names only, and read no file')
            [CompletionResult]::new('--audit', '--audit', [CompletionResultType]::ParameterName, 'Read all files and report what happened to each: changed, moved, copied, new, missing')
            [CompletionResult]::new('--beside', '--beside', [CompletionResultType]::ParameterName, 'Resolve names relative to the directory of their manifest')
            [CompletionResult]::new('--normalize', '--normalize', [CompletionResultType]::ParameterName, 'Match names that differ only in Unicode normalization (NFC, NFD)')
            [CompletionResult]::new('--ignore-case', '--ignore-case', [CompletionResultType]::ParameterName, 'Treat names that differ only in case as the same')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'With --complete or --audit: stay on the file system of the directory')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'With --complete or --audit: stay on the file system of the directory')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'With --complete or --audit: follow symbolic links')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'With --complete or --audit: follow symbolic links')
            [CompletionResult]::new('--ignore-missing', '--ignore-missing', [CompletionResultType]::ParameterName, 'Do not fail for missing files')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail for every malformed line, even one that lists no file')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Warn about each malformed line')
            [CompletionResult]::new('--warn', '--warn', [CompletionResultType]::ParameterName, 'Warn about each malformed line')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'Stop at the first file that fails')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print failures only, and no summary if there are none')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print failures only, and no summary if there are none')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Print nothing; the exit code is the result')
            [CompletionResult]::new('--silent', '--silent', [CompletionResultType]::ParameterName, 'Print nothing; the exit code is the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print the expected and the computed digest of each mismatch')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print the expected and the computed digest of each mismatch')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--no-sign-request', '--no-sign-request', [CompletionResultType]::ParameterName, 'Ask without credentials, for objects that everybody may read')
            [CompletionResult]::new('--requester-pays', '--requester-pays', [CompletionResultType]::ParameterName, 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that')
            [CompletionResult]::new('--versions', '--versions', [CompletionResultType]::ParameterName, 'Read names that end with `?versionId=ID` as that version of an object of S3')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;diff' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'The algorithm of a manifest that does not name it, or of a comparison without manifests [default: sha256]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'The algorithm of a manifest that does not name it, or of a comparison without manifests [default: sha256]')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the manifests [default: detected]')
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'The directory, or s3://BUCKET/PREFIX, that the names in the manifest are relative to')
            [CompletionResult]::new('--strip-prefix', '--strip-prefix', [CompletionResultType]::ParameterName, 'Remove PREFIX from the listed names of both manifests; may be repeated')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Only files that match GLOB; may be repeated')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Skip files and directories that match GLOB; may be repeated')
            [CompletionResult]::new('--ignore-file', '--ignore-file', [CompletionResultType]::ParameterName, 'Skip what the patterns in FILE match, in gitignore syntax')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Skip files smaller than SIZE, such as 100MB or 64KiB')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Skip files larger than SIZE')
            [CompletionResult]::new('--newer-than', '--newer-than', [CompletionResultType]::ParameterName, 'Skip files last modified before TIME, such as 2026-01-31 or 7d')
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Skip files last modified at TIME or later')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory for sorting manifests that are not in order, such as 64MiB or 1GB')
            [CompletionResult]::new('--temporary-directory', '--temporary-directory', [CompletionResultType]::ParameterName, 'Directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--endpoint', '--endpoint', [CompletionResultType]::ParameterName, 'URL of the server of a store [default: what the environment names, else the provider''s]')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]')
            [CompletionResult]::new('--max-requests', '--max-requests', [CompletionResultType]::ParameterName, 'Make at most N requests of an object store')
            [CompletionResult]::new('--retries', '--retries', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]')
            [CompletionResult]::new('--retry-for', '--retry-for', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again for TIME, such as 10m')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--from-zero', '--from-zero', [CompletionResultType]::ParameterName, 'Lines of the manifests end with NUL, and nothing is escaped')
            [CompletionResult]::new('--normalize', '--normalize', [CompletionResultType]::ParameterName, 'Compare names of two directories in whatever Unicode normalization')
            [CompletionResult]::new('-L', '-L ', [CompletionResultType]::ParameterName, 'Follow symbolic links in the tree; by default they are counted and skipped')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Follow symbolic links in the tree; by default they are counted and skipped')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the file system of the tree''s directory')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of the tree''s directory')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail for every malformed line, even one that lists no file')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Warn about each malformed line, even one that lists no file')
            [CompletionResult]::new('--warn', '--warn', [CompletionResultType]::ParameterName, 'Warn about each malformed line, even one that lists no file')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print both sizes and digests of each difference')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print both sizes and digests of each difference')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Print nothing; the exit code is the result')
            [CompletionResult]::new('--silent', '--silent', [CompletionResultType]::ParameterName, 'Print nothing; the exit code is the result')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--no-sign-request', '--no-sign-request', [CompletionResultType]::ParameterName, 'Ask without credentials, for objects that everybody may read')
            [CompletionResult]::new('--requester-pays', '--requester-pays', [CompletionResultType]::ParameterName, 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;convert' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms to copy [default: all that the first entry has]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms to copy [default: all that the first entry has]')
            [CompletionResult]::new('--add', '--add', [CompletionResultType]::ParameterName, 'Read the files, verify their listed digests, and add digests of NAME')
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'With --add: resolve names relative to DIR, and refuse those that lead out of it')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Format of IN [default: detected]')
            [CompletionResult]::new('--from-algorithm', '--from-algorithm', [CompletionResultType]::ParameterName, 'The algorithm of IN, if IN does not name it [default: the one that is copied]')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the manifest [default: gnu; with several algorithms: bsd]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--from-zero', '--from-zero', [CompletionResultType]::ParameterName, 'Lines of IN end with NUL, and nothing is escaped')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace OUT if it exists')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd')
            [CompletionResult]::new('--base64', '--base64', [CompletionResultType]::ParameterName, 'Write digests in base64, with or without --tag; short for --manifest-format base64')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--header', '--header', [CompletionResultType]::ParameterName, 'Begin with a header that states which run wrote the manifest, and of what')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)')
            [CompletionResult]::new('--strict-hashdeep', '--strict-hashdeep', [CompletionResultType]::ParameterName, 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;merge' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the manifest [default: gnu; with several algorithms: bsd]')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd')
            [CompletionResult]::new('--base64', '--base64', [CompletionResultType]::ParameterName, 'Write digests in base64, with or without --tag; short for --manifest-format base64')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--header', '--header', [CompletionResultType]::ParameterName, 'Begin with a header that states which run wrote the manifest, and of what')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)')
            [CompletionResult]::new('--strict-hashdeep', '--strict-hashdeep', [CompletionResultType]::ParameterName, 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;formats' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Register a tree as a collection')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the collections')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a collection is, and how it is')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change what a collection promises, and what belongs to it')
            [CompletionResult]::new('rename', 'rename', [CompletionResultType]::ParameterValue, 'Give a collection another name')
            [CompletionResult]::new('relocate', 'relocate', [CompletionResultType]::ParameterValue, 'Say that the tree of a collection lies somewhere else now')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Take a collection out of the list')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Bring back a collection that was removed')
            [CompletionResult]::new('purge', 'purge', [CompletionResultType]::ParameterValue, 'Forget all that is known of a collection, for ever')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Register digests that come from elsewhere')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write what is known of a collection as a manifest, in any format')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Report what stands against collections, what to do about it, and how audits went')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;collection;add' {
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'Promise that every byte is read again within TIME, such as 30d; `never` promises nothing [default: 90d, for objects never]')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas; they cannot be changed later')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas; they cannot be changed later')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'What may change: `living`, `growing` (the default) or `frozen`; with `:GLOB` for the files that match; may be repeated')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'The group that it is listed in')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'What else it is called; may be repeated')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Only files that match GLOB; may be repeated')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Not files and directories that match GLOB; may be repeated')
            [CompletionResult]::new('--append-only', '--append-only', [CompletionResultType]::ParameterName, 'Files that match GLOB may grow, as long as they begin as before; may be repeated')
            [CompletionResult]::new('--hold-files', '--hold-files', [CompletionResultType]::ParameterName, 'Hold an audit where more files than N are lost or changed')
            [CompletionResult]::new('--hold-percent', '--hold-percent', [CompletionResultType]::ParameterName, 'Hold an audit where more than P in a hundred files are lost or changed, whatever the policy; by default 1, of those that are lost')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Which readings keep the promise: those of the `device` alone, or `any`')
            [CompletionResult]::new('--endpoint', '--endpoint', [CompletionResultType]::ParameterName, 'URL of the server of a store [default: what the environment names, else the provider''s]')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'The same as `--policy frozen`: new and changed files are findings, until somebody accepts them')
            [CompletionResult]::new('--living', '--living', [CompletionResultType]::ParameterName, 'The same as `--policy living`: new and changed files are accepted and counted')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Write a file into the root of the tree by which it is known again')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the file system of DIR')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the file system of DIR')
            [CompletionResult]::new('--removable', '--removable', [CompletionResultType]::ParameterName, 'The tree may be away, as an unplugged disk is: that alone is no fault')
            [CompletionResult]::new('--no-removable', '--no-removable', [CompletionResultType]::ParameterName, 'The tree is to be there, also where it lies on a removable disk')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'The tree may have no files when it is first audited')
            [CompletionResult]::new('--no-sign-request', '--no-sign-request', [CompletionResultType]::ParameterName, 'Ask without credentials, for objects that everybody may read')
            [CompletionResult]::new('--requester-pays', '--requester-pays', [CompletionResultType]::ParameterName, 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;list' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, a table, or `json`, an array')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--removed', '--removed', [CompletionResultType]::ParameterName, 'List those that were removed')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text` or `json`, an object')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;set' {
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'Promise that every byte is read again within TIME, such as 30d; `never` promises nothing')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'What may change: `living`, `growing` or `frozen`; with `:GLOB` for the files that match; may be repeated')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'The group that it is listed in')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'What else it is called; may be repeated. An empty TAG ('''') stands for none')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Only files that match GLOB; may be repeated')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Not files and directories that match GLOB; may be repeated')
            [CompletionResult]::new('--append-only', '--append-only', [CompletionResultType]::ParameterName, 'Files that match GLOB may grow, as long as they begin as before; may be repeated')
            [CompletionResult]::new('--hold-files', '--hold-files', [CompletionResultType]::ParameterName, 'Hold an audit where more files than N are lost or changed')
            [CompletionResult]::new('--hold-percent', '--hold-percent', [CompletionResultType]::ParameterName, 'Hold an audit where more than P in a hundred files are lost or changed, whatever the policy')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Which readings keep the promise: those of the `device` alone, or `any`')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('--no-promise', '--no-promise', [CompletionResultType]::ParameterName, 'The same as `--every never`')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'The same as `--policy frozen`: new and changed files are findings, until somebody accepts them')
            [CompletionResult]::new('--living', '--living', [CompletionResultType]::ParameterName, 'The same as `--policy living`: new and changed files are accepted and counted')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'A filter that leaves out more than a tenth of the known files is meant; or it is the right tree for --marker')
            [CompletionResult]::new('--removable', '--removable', [CompletionResultType]::ParameterName, 'The tree may be away, as an unplugged disk is: that alone is no fault')
            [CompletionResult]::new('--no-removable', '--no-removable', [CompletionResultType]::ParameterName, 'The tree is to be there, also where it lies on a removable disk')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'The tree may have no files when it is first audited')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Write a file into the root of the tree by which it is known again')
            [CompletionResult]::new('--no-marker', '--no-marker', [CompletionResultType]::ParameterName, 'Know the tree by its file system and the inode of its root, and not by a marker')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;rename' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;relocate' {
            [CompletionResult]::new('--endpoint', '--endpoint', [CompletionResultType]::ParameterName, 'URL of the server of a store [default: what the environment names, else the provider''s]')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('--no-sign-request', '--no-sign-request', [CompletionResultType]::ParameterName, 'Ask without credentials, for objects that everybody may read')
            [CompletionResult]::new('--requester-pays', '--requester-pays', [CompletionResultType]::ParameterName, 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;remove' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;restore' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;purge' {
            [CompletionResult]::new('--removed-at', '--removed-at', [CompletionResultType]::ParameterName, 'The one that was removed at TIME, as `collection list --removed` shows it, where several have had the name')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Yes, for ever')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;import' {
            [CompletionResult]::new('--strip-prefix', '--strip-prefix', [CompletionResultType]::ParameterName, 'Take PREFIX from the beginning of the listed names')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the lists [default: detected]')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the history')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'Lines of the lists end with NUL, and nothing is escaped')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'Lines of the lists end with NUL, and nothing is escaped')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;export' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Write a list for a provider instead: `s3-batch`, which S3 Batch Operations takes')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the manifest [default: gnu; with several algorithms: bsd]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd')
            [CompletionResult]::new('--base64', '--base64', [CompletionResultType]::ParameterName, 'Write digests in base64, with or without --tag; short for --manifest-format base64')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End lines with NUL and escape nothing')
            [CompletionResult]::new('--header', '--header', [CompletionResultType]::ParameterName, 'Begin with a header that states which run wrote the manifest, and of what')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)')
            [CompletionResult]::new('--strict-hashdeep', '--strict-hashdeep', [CompletionResultType]::ParameterName, 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;report' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, `json`, an object, `csv`, a row for each finding, or `html`, a page')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears only when complete')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;collection;help' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Register a tree as a collection')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the collections')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a collection is, and how it is')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change what a collection promises, and what belongs to it')
            [CompletionResult]::new('rename', 'rename', [CompletionResultType]::ParameterValue, 'Give a collection another name')
            [CompletionResult]::new('relocate', 'relocate', [CompletionResultType]::ParameterValue, 'Say that the tree of a collection lies somewhere else now')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Take a collection out of the list')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Bring back a collection that was removed')
            [CompletionResult]::new('purge', 'purge', [CompletionResultType]::ParameterValue, 'Forget all that is known of a collection, for ever')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Register digests that come from elsewhere')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write what is known of a collection as a manifest, in any format')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Report what stands against collections, what to do about it, and how audits went')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;collection;help;add' {
            break
        }
        'hashlane;collection;help;list' {
            break
        }
        'hashlane;collection;help;show' {
            break
        }
        'hashlane;collection;help;set' {
            break
        }
        'hashlane;collection;help;rename' {
            break
        }
        'hashlane;collection;help;relocate' {
            break
        }
        'hashlane;collection;help;remove' {
            break
        }
        'hashlane;collection;help;restore' {
            break
        }
        'hashlane;collection;help;purge' {
            break
        }
        'hashlane;collection;help;import' {
            break
        }
        'hashlane;collection;help;export' {
            break
        }
        'hashlane;collection;help;report' {
            break
        }
        'hashlane;collection;help;help' {
            break
        }
        'hashlane;audit' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Begin no file after TIME, such as 2h')
            [CompletionResult]::new('--bytes', '--bytes', [CompletionResultType]::ParameterName, 'Read at most SIZE, such as 500GB')
            [CompletionResult]::new('--files', '--files', [CompletionResultType]::ParameterName, 'Read at most N files')
            [CompletionResult]::new('--max-requests', '--max-requests', [CompletionResultType]::ParameterName, 'Make at most N requests of object stores, listings and repetitions included')
            [CompletionResult]::new('--percent', '--percent', [CompletionResultType]::ParameterName, 'Read at most P in a hundred of the bytes of each collection')
            [CompletionResult]::new('--between', '--between', [CompletionResultType]::ParameterName, 'Begin files between two times of the day only, such as 22:00-06:00')
            [CompletionResult]::new('--at-most', '--at-most', [CompletionResultType]::ParameterName, 'Begin an audit only while fewer than N are under way, and wait for that')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Only files with findings of these verdicts, separated by commas')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Record what a provider says of the files, and read nothing')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Take what a run of Spark has read, and read nothing here but what differs')
            [CompletionResult]::new('--strip-prefix', '--strip-prefix', [CompletionResultType]::ParameterName, 'Take PREFIX from the beginning of the names in RUN: its nodes saw the tree of the collection there')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Read from the `device`, past the page cache, or from `any` place, in this run')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the history')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, or `json`, one object per line')
            [CompletionResult]::new('--stop', '--stop', [CompletionResultType]::ParameterName, 'End the audit of the collection NAME, whoever began it, and wait until it has ended')
            [CompletionResult]::new('--set-rate', '--set-rate', [CompletionResultType]::ParameterName, 'Let the audit of the collection NAME read at most RATE bytes per second from now on, such as 20MB')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End the pause at TIME: a time span such as 2h, a time of the day such as 22:00, or a date and time')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('--retries', '--retries', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]')
            [CompletionResult]::new('--retry-for', '--retry-for', [CompletionResultType]::ParameterName, 'Make a request that fails for the moment again for TIME, such as 10m')
            [CompletionResult]::new('--due', '--due', [CompletionResultType]::ParameterName, 'Read what is due under the promise, although a collection is named')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only count what would be read')
            [CompletionResult]::new('--resume-held', '--resume-held', [CompletionResultType]::ParameterName, 'Go on with an audit that was held')
            [CompletionResult]::new('--discard-held', '--discard-held', [CompletionResultType]::ParameterName, 'Drop all that a held audit held back, and audit nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but new findings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but new findings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print findings that were reported before, and files that were accepted, too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print findings that were reported before, and files that were accepted, too')
            [CompletionResult]::new('--pause-all', '--pause-all', [CompletionResultType]::ParameterName, 'Audit nothing until --resume-all, or until --until: end what is under way, and begin nothing')
            [CompletionResult]::new('--resume-all', '--resume-all', [CompletionResultType]::ParameterName, 'End the pause')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;status' {
            [CompletionResult]::new('--audited-within', '--audited-within', [CompletionResultType]::ParameterName, 'Code 32 where no audit has judged a collection for longer than TIME, such as 2d')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, a table, or `json`, an object')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Set the exit code by what stands against them')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Show how far audits are until none is under way, and then the status')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;history' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text` or `json`, an object')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;events' {
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Only events with numbers above N')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Only events with numbers below N')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Only events of these kinds')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Only what ACTOR did or asked for')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Only events of this file, or of files in this directory: a path below the root of the collection, or an absolute one. A file that was moved is told of under its new path')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only those since TIME: a date, a time, or an age such as 30d')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'At most N events')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most N events')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, `json`, a line for each, or `csv`')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--reverse', '--reverse', [CompletionResultType]::ParameterName, 'The last event first')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'List what there is, then each event as it happens, until interrupted or --limit is reached')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'List what there is, then each event as it happens, until interrupted or --limit is reached')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;accept' {
            [CompletionResult]::new('--verdict', '--verdict', [CompletionResultType]::ParameterName, 'Findings of these verdicts, separated by commas')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the history')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would be done')
            [CompletionResult]::new('--all-gone', '--all-gone', [CompletionResultType]::ParameterName, 'Accept that all files are gone: the tree was emptied on purpose')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;acknowledge' {
            [CompletionResult]::new('--verdict', '--verdict', [CompletionResultType]::ParameterName, 'Findings of these verdicts, separated by commas')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the history')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'For how long, such as 14d [default: until the file changes]')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would be done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;catalog' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that the catalogue is whole')
            [CompletionResult]::new('backup', 'backup', [CompletionResultType]::ParameterValue, 'Copy the catalogue to a file, while it is in use')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Put a backup in the place of the catalogue')
            [CompletionResult]::new('compact', 'compact', [CompletionResultType]::ParameterValue, 'Give back the room of what is gone, and bring the file into order')
            [CompletionResult]::new('seals', 'seals', [CompletionResultType]::ParameterValue, 'List the seals of runs, the latest first')
            [CompletionResult]::new('changes', 'changes', [CompletionResultType]::ParameterValue, 'List what was changed, by whom, when and why: the earliest first')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;catalog;verify' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Neither compare the indexes with the rows nor compute the seals')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;catalog;backup' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;catalog;restore' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;catalog;compact' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;catalog;seals' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Only the last N')
            [CompletionResult]::new('--last', '--last', [CompletionResultType]::ParameterName, 'Only the last N')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, a table, or `json`, an array')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;catalog;changes' {
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only those since TIME: a date, a time, or an age such as 30d')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, a table, `json`, a line for each, or `csv`')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;catalog;help' {
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that the catalogue is whole')
            [CompletionResult]::new('backup', 'backup', [CompletionResultType]::ParameterValue, 'Copy the catalogue to a file, while it is in use')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Put a backup in the place of the catalogue')
            [CompletionResult]::new('compact', 'compact', [CompletionResultType]::ParameterValue, 'Give back the room of what is gone, and bring the file into order')
            [CompletionResult]::new('seals', 'seals', [CompletionResultType]::ParameterValue, 'List the seals of runs, the latest first')
            [CompletionResult]::new('changes', 'changes', [CompletionResultType]::ParameterValue, 'List what was changed, by whom, when and why: the earliest first')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;catalog;help;verify' {
            break
        }
        'hashlane;catalog;help;backup' {
            break
        }
        'hashlane;catalog;help;restore' {
            break
        }
        'hashlane;catalog;help;compact' {
            break
        }
        'hashlane;catalog;help;seals' {
            break
        }
        'hashlane;catalog;help;changes' {
            break
        }
        'hashlane;catalog;help;help' {
            break
        }
        'hashlane;tell' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Tell what is new, and deliver what waits')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the last messages, the latest first: to whom, about what, and what has become of them')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile')
            [CompletionResult]::new('retry', 'retry', [CompletionResultType]::ParameterValue, 'Deliver all that was not delivered, now: what waits, and what was given up')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;tell;run' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;tell;list' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'At most N messages')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most N messages')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, a table, or `json`, one object per line')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;tell;test' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;tell;retry' {
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]')
            [CompletionResult]::new('--backups', '--backups', [CompletionResultType]::ParameterName, 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;tell;help' {
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Tell what is new, and deliver what waits')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the last messages, the latest first: to whom, about what, and what has become of them')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile')
            [CompletionResult]::new('retry', 'retry', [CompletionResultType]::ParameterValue, 'Deliver all that was not delivered, now: what waits, and what was given up')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;tell;help;run' {
            break
        }
        'hashlane;tell;help;list' {
            break
        }
        'hashlane;tell;help;test' {
            break
        }
        'hashlane;tell;help;retry' {
            break
        }
        'hashlane;tell;help;help' {
            break
        }
        'hashlane;config' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check a configuration, and whether its secrets can be read')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a configuration says, without anything that may be a secret')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;config;check' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;config;show' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;config;help' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check a configuration, and whether its secrets can be read')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a configuration says, without anything that may be a secret')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;config;help;check' {
            break
        }
        'hashlane;config;help;show' {
            break
        }
        'hashlane;config;help;help' {
            break
        }
        'hashlane;known' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build an index from sets of known contents')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what an index contains')
            [CompletionResult]::new('lookup', 'lookup', [CompletionResultType]::ParameterValue, 'Look up digests in an index')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;known;build' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The index to write, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The index to write, which appears only when complete')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms to index, separated by commas [default: all that the sets have, except checksums]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms to index, separated by commas [default: all that the sets have, except checksums]')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory for sorting; beyond it, a temporary file is used')
            [CompletionResult]::new('--manifest-format', '--manifest-format', [CompletionResultType]::ParameterName, 'Format of the manifests [default: detected]')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'Keep the names, for --show-matched-by and --unseen')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'Lines of the manifests end with NUL, and nothing is escaped')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'Lines of the manifests end with NUL, and nothing is escaped')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;known;info' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Read the whole index, and verify every checksum and the order')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;known;lookup' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;known;help' {
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build an index from sets of known contents')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what an index contains')
            [CompletionResult]::new('lookup', 'lookup', [CompletionResultType]::ParameterValue, 'Look up digests in an index')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;known;help;build' {
            break
        }
        'hashlane;known;help;info' {
            break
        }
        'hashlane;known;help;lookup' {
            break
        }
        'hashlane;known;help;help' {
            break
        }
        'hashlane;bag' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Turn a directory into a bag, in place')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Verify a bag: its structure, its completeness and every digest in it')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;bag;create' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256,sha512]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256,sha512]')
            [CompletionResult]::new('--info', '--info', [CompletionResultType]::ParameterName, 'Add an element to bag-info.txt; may be repeated')
            [CompletionResult]::new('--bagit-version', '--bagit-version', [CompletionResultType]::ParameterName, 'BagIt version: 1.0 is RFC 8493; 0.97 does not escape percent signs in names')
            [CompletionResult]::new('--data', '--data', [CompletionResultType]::ParameterName, 'What to do with an existing DIR/data: keep it as the payload, or move it like everything else')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--keep-empty', '--keep-empty', [CompletionResultType]::ParameterName, 'Put an empty `.keep` file into each empty directory, because a bag lists files only')
            [CompletionResult]::new('--undo', '--undo', [CompletionResultType]::ParameterName, 'Put back what an interrupted run moved, without making a bag')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print the summary')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;bag;validate' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: lines of text, or one JSON object per line')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write results to FILE, which appears only when complete')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write results to FILE, which appears only when complete')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Compare names and Payload-Oxum only, without computing digests: this is not a validation')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'Stop at the first error')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print failures only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print failures only')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Print nothing; the exit code is the result')
            [CompletionResult]::new('--silent', '--silent', [CompletionResultType]::ParameterName, 'Print nothing; the exit code is the result')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print the expected and the computed digest of each mismatch')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print the expected and the computed digest of each mismatch')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;bag;help' {
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Turn a directory into a bag, in place')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Verify a bag: its structure, its completeness and every digest in it')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;bag;help;create' {
            break
        }
        'hashlane;bag;help;validate' {
            break
        }
        'hashlane;bag;help;help' {
            break
        }
        'hashlane;mhl' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Read all files of a directory and record them in a new generation')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare a directory with all generations of its history')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show the generations of a history')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;mhl;create' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas: md5, sha1, xxh64, xxh3, xxh128, c4')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas: md5, sha1, xxh64, xxh3, xxh128, c4')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Also ignore what PATTERN matches, in gitignore syntax; may be repeated. The history keeps it')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Cores to use [default: all that this process may use]')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Read engine')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Read at most RATE bytes per second, such as 100MB or 64MiB')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Record no digests of directories')
            [CompletionResult]::new('--no-directory-hashes', '--no-directory-hashes', [CompletionResultType]::ParameterName, 'Record no digests of directories')
            [CompletionResult]::new('--detect-renaming', '--detect-renaming', [CompletionResultType]::ParameterName, 'Look for missing files among the new ones')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print failures only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print failures only')
            [CompletionResult]::new('--no-profile', '--no-profile', [CompletionResultType]::ParameterName, 'Ignore the profile that `hashlane tune` saved for the device')
            [CompletionResult]::new('--drop-behind', '--drop-behind', [CompletionResultType]::ParameterName, 'Leave no files in the page cache that were not in it before')
            [CompletionResult]::new('--no-drop-behind', '--no-drop-behind', [CompletionResultType]::ParameterName, 'Leave the page cache to the system')
            [CompletionResult]::new('--from-medium', '--from-medium', [CompletionResultType]::ParameterName, 'Read every byte from its device, bypassing the page cache, or fail the file')
            [CompletionResult]::new('--nice-io', '--nice-io', [CompletionResultType]::ParameterName, 'Read only when no other program does (the idle I/O priority class)')
            [CompletionResult]::new('--calibrate', '--calibrate', [CompletionResultType]::ParameterName, 'Use the backends that were measured as fastest on this CPU: the default')
            [CompletionResult]::new('--no-calibrate', '--no-calibrate', [CompletionResultType]::ParameterName, 'Use the backends that are fastest on most CPUs, and do not measure them after a long run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;mhl;verify' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print failures only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print failures only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;mhl;info' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;mhl;help' {
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Read all files of a directory and record them in a new generation')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare a directory with all generations of its history')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show the generations of a history')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;mhl;help;create' {
            break
        }
        'hashlane;mhl;help;verify' {
            break
        }
        'hashlane;mhl;help;info' {
            break
        }
        'hashlane;mhl;help;help' {
            break
        }
        'hashlane;backends' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: all that have more than one backend]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: all that have more than one backend]')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Backend that computes digests [default: the fastest]')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: `text`, a table, or `json`, one object per line')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the results')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;tune' {
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time to spend on measuring, such as 90s or 5m')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for file contents and the order of the measurements')
            [CompletionResult]::new('--cache', '--cache', [CompletionResultType]::ParameterName, 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress: `auto` on a terminal, `json` as lines on standard error')
            [CompletionResult]::new('--drop-caches', '--drop-caches', [CompletionResultType]::ParameterName, 'Drop cached names and inodes of all files before each cold reading of small ones')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the profile as it is saved, with every sample, instead of tables')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save the profile')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;as' {
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the programs')
            [CompletionResult]::new('--as-is', '--as-is', [CompletionResultType]::ParameterName, 'Reproduce old quirks that scripts may depend on; must come before NAME')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;install-links' {
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace other files of these names, but not directories')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not report what was done')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not report what was done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;generate' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'hashlane;help' {
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Measure how fast this machine reads, writes and digests')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Show a saved run, make its page, or export its figures')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare runs and machines, cell by cell')
            [CompletionResult]::new('sum', 'sum', [CompletionResultType]::ParameterValue, 'Print the digests of files and trees')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Verify that files still have the digests that a manifest lists')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Report what differs between two manifests, two trees, or one of each')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Convert a manifest to another format')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Join the manifests of shards into one')
            [CompletionResult]::new('formats', 'formats', [CompletionResultType]::ParameterValue, 'List the manifest formats: how each is detected, and what it stores')
            [CompletionResult]::new('collection', 'collection', [CompletionResultType]::ParameterValue, 'Register trees of files that are audited over time')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Audit collections: what is missing, changed, corrupt or new?')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how the collections are: one sentence, and a row for each')
            [CompletionResult]::new('history', 'history', [CompletionResultType]::ParameterValue, 'Show what is known of a file, and what happened to it')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'List what happened, in one order, and follow it')
            [CompletionResult]::new('accept', 'accept', [CompletionResultType]::ParameterValue, 'Accept files as they are now')
            [CompletionResult]::new('acknowledge', 'acknowledge', [CompletionResultType]::ParameterValue, 'Say that a finding is known, so that it alarms nobody')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Check, copy and compact the catalogue, and list its seals and what was changed')
            [CompletionResult]::new('tell', 'tell', [CompletionResultType]::ParameterValue, 'Tell people what audits find, as the configuration says')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Check or show the configuration')
            [CompletionResult]::new('known', 'known', [CompletionResultType]::ParameterValue, 'Index sets of known contents, and look up digests')
            [CompletionResult]::new('bag', 'bag', [CompletionResultType]::ParameterValue, 'Make bags (BagIt, RFC 8493) and verify them')
            [CompletionResult]::new('mhl', 'mhl', [CompletionResultType]::ParameterValue, 'Make, verify and show histories of media (ASC MHL 2.0)')
            [CompletionResult]::new('backends', 'backends', [CompletionResultType]::ParameterValue, 'Measure how fast each backend of this CPU computes each algorithm')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Measure how best to read the device of PATH, and save that for sum and check')
            [CompletionResult]::new('as', 'as', [CompletionResultType]::ParameterValue, 'Act as an older program, with the same options, output and exit codes')
            [CompletionResult]::new('install-links', 'install-links', [CompletionResultType]::ParameterValue, 'Make links to this program under the names of the older programs')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write man pages or completions into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'hashlane;help;bench' {
            [CompletionResult]::new('io', 'io', [CompletionResultType]::ParameterValue, 'Measure how this machine reads and writes files: block sizes, system calls and threads')
            [CompletionResult]::new('pipeline', 'pipeline', [CompletionResultType]::ParameterValue, 'Measure reading and digesting, alone and together, by block size and by reading thread')
            [CompletionResult]::new('machine', 'machine', [CompletionResultType]::ParameterValue, 'Measure programs on copies of a dictionary, and compare this engine with them')
            [CompletionResult]::new('speed', 'speed', [CompletionResultType]::ParameterValue, 'Measure digests of messages in memory, by algorithm and message size')
            [CompletionResult]::new('variant', 'variant', [CompletionResultType]::ParameterValue, 'Compare programs or builds with each other')
            break
        }
        'hashlane;help;bench;io' {
            break
        }
        'hashlane;help;bench;pipeline' {
            break
        }
        'hashlane;help;bench;machine' {
            break
        }
        'hashlane;help;bench;speed' {
            break
        }
        'hashlane;help;bench;variant' {
            break
        }
        'hashlane;help;report' {
            break
        }
        'hashlane;help;compare' {
            break
        }
        'hashlane;help;sum' {
            break
        }
        'hashlane;help;check' {
            break
        }
        'hashlane;help;diff' {
            break
        }
        'hashlane;help;convert' {
            break
        }
        'hashlane;help;merge' {
            break
        }
        'hashlane;help;formats' {
            break
        }
        'hashlane;help;collection' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Register a tree as a collection')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the collections')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a collection is, and how it is')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change what a collection promises, and what belongs to it')
            [CompletionResult]::new('rename', 'rename', [CompletionResultType]::ParameterValue, 'Give a collection another name')
            [CompletionResult]::new('relocate', 'relocate', [CompletionResultType]::ParameterValue, 'Say that the tree of a collection lies somewhere else now')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Take a collection out of the list')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Bring back a collection that was removed')
            [CompletionResult]::new('purge', 'purge', [CompletionResultType]::ParameterValue, 'Forget all that is known of a collection, for ever')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Register digests that come from elsewhere')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write what is known of a collection as a manifest, in any format')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Report what stands against collections, what to do about it, and how audits went')
            break
        }
        'hashlane;help;collection;add' {
            break
        }
        'hashlane;help;collection;list' {
            break
        }
        'hashlane;help;collection;show' {
            break
        }
        'hashlane;help;collection;set' {
            break
        }
        'hashlane;help;collection;rename' {
            break
        }
        'hashlane;help;collection;relocate' {
            break
        }
        'hashlane;help;collection;remove' {
            break
        }
        'hashlane;help;collection;restore' {
            break
        }
        'hashlane;help;collection;purge' {
            break
        }
        'hashlane;help;collection;import' {
            break
        }
        'hashlane;help;collection;export' {
            break
        }
        'hashlane;help;collection;report' {
            break
        }
        'hashlane;help;audit' {
            break
        }
        'hashlane;help;status' {
            break
        }
        'hashlane;help;history' {
            break
        }
        'hashlane;help;events' {
            break
        }
        'hashlane;help;accept' {
            break
        }
        'hashlane;help;acknowledge' {
            break
        }
        'hashlane;help;catalog' {
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that the catalogue is whole')
            [CompletionResult]::new('backup', 'backup', [CompletionResultType]::ParameterValue, 'Copy the catalogue to a file, while it is in use')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Put a backup in the place of the catalogue')
            [CompletionResult]::new('compact', 'compact', [CompletionResultType]::ParameterValue, 'Give back the room of what is gone, and bring the file into order')
            [CompletionResult]::new('seals', 'seals', [CompletionResultType]::ParameterValue, 'List the seals of runs, the latest first')
            [CompletionResult]::new('changes', 'changes', [CompletionResultType]::ParameterValue, 'List what was changed, by whom, when and why: the earliest first')
            break
        }
        'hashlane;help;catalog;verify' {
            break
        }
        'hashlane;help;catalog;backup' {
            break
        }
        'hashlane;help;catalog;restore' {
            break
        }
        'hashlane;help;catalog;compact' {
            break
        }
        'hashlane;help;catalog;seals' {
            break
        }
        'hashlane;help;catalog;changes' {
            break
        }
        'hashlane;help;tell' {
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Tell what is new, and deliver what waits')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the last messages, the latest first: to whom, about what, and what has become of them')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile')
            [CompletionResult]::new('retry', 'retry', [CompletionResultType]::ParameterValue, 'Deliver all that was not delivered, now: what waits, and what was given up')
            break
        }
        'hashlane;help;tell;run' {
            break
        }
        'hashlane;help;tell;list' {
            break
        }
        'hashlane;help;tell;test' {
            break
        }
        'hashlane;help;tell;retry' {
            break
        }
        'hashlane;help;config' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check a configuration, and whether its secrets can be read')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a configuration says, without anything that may be a secret')
            break
        }
        'hashlane;help;config;check' {
            break
        }
        'hashlane;help;config;show' {
            break
        }
        'hashlane;help;known' {
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build an index from sets of known contents')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what an index contains')
            [CompletionResult]::new('lookup', 'lookup', [CompletionResultType]::ParameterValue, 'Look up digests in an index')
            break
        }
        'hashlane;help;known;build' {
            break
        }
        'hashlane;help;known;info' {
            break
        }
        'hashlane;help;known;lookup' {
            break
        }
        'hashlane;help;bag' {
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Turn a directory into a bag, in place')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Verify a bag: its structure, its completeness and every digest in it')
            break
        }
        'hashlane;help;bag;create' {
            break
        }
        'hashlane;help;bag;validate' {
            break
        }
        'hashlane;help;mhl' {
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Read all files of a directory and record them in a new generation')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare a directory with all generations of its history')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show the generations of a history')
            break
        }
        'hashlane;help;mhl;create' {
            break
        }
        'hashlane;help;mhl;verify' {
            break
        }
        'hashlane;help;mhl;info' {
            break
        }
        'hashlane;help;backends' {
            break
        }
        'hashlane;help;tune' {
            break
        }
        'hashlane;help;as' {
            break
        }
        'hashlane;help;install-links' {
            break
        }
        'hashlane;help;generate' {
            break
        }
        'hashlane;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
