
use builtin;
use str;

set edit:completion:arg-completer[hashlane] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'hashlane'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'hashlane'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand bench 'Measure how fast this machine reads, writes and digests'
            cand report 'Show a saved run, make its page, or hand its figures to other programs'
            cand compare 'Compare runs and machines, cell by cell'
            cand sum 'Print the digests of files and trees'
            cand check 'Verify that files still have the digests that a manifest lists'
            cand diff 'Report what differs between two manifests, or between a manifest and a tree'
            cand convert 'Turn a manifest into another format'
            cand formats 'List the manifest formats: how each is told from the others, and what it holds'
            cand known 'Index sets of known contents, and look digests up'
            cand bag 'Make bags (BagIt, RFC 8493) and verify them'
            cand backends 'Measure how fast each algorithm is by each backend of this CPU'
            cand tune 'Measure how the device below PATH is read best, and keep that for sum and check'
            cand as 'Play an older program: the same options, output and exit codes'
            cand install-links 'Make links to this program under the names of those that it plays'
            cand generate 'Write man pages or completions into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bench'= {
            cand --path 'Directory for the test files, on the disk to be measured'
            cand --dir 'Directory for the test files, on the disk to be measured'
            cand --budget 'Time for measuring, as in 90s or 5m [default: 60s; with --quick: 9s]'
            cand --seed 'Seed of file contents and of the order of the cells'
            cand --name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --run-name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it, instead'
            cand --output 'Write the run to FILE, and the page beside it, instead'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take ten seconds: smaller files, shorter samples, wider intervals'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns, in lines of any width; by default lines have at most 100 columns'
            cand --json 'Print the run as JSON, every sample in it, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Keep nothing'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand io 'Measure blocks, system calls and threads: how this machine reads and writes files'
            cand pipeline 'Measure reading and digesting, alone and together, by block size and by who reads'
            cand machine 'Measure programs on copies of a dictionary, and this engine beside them'
            cand speed 'Measure digests of messages in memory, by algorithm and message size'
            cand variant 'Compare programs or builds with each other'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bench;io'= {
            cand -w 'Write FILE as COUNT blocks of BLOCK bytes, once, until it is on the device; it stays'
            cand --write 'Write FILE as COUNT blocks of BLOCK bytes, once, until it is on the device; it stays'
            cand -r 'Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words'
            cand --read 'Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words'
            cand --reasonable 'Look for the size of a file that takes 5 to 15 seconds to be read by blocks of BLOCK bytes'
            cand --block 'Sizes of the blocks that are read, separated by commas, as in 512,4KiB,1MiB [default: ten from 512 to 16MiB]'
            cand --drop 'Have the whole machine forget before each cold sample: 1 the page cache, 2 names and inodes, 3 both; takes root'
            cand --dir 'Directory for the files, on the disk that is in question'
            cand --path 'Directory for the files, on the disk that is in question'
            cand --name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --run-name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --budget 'Time for measuring, as in 90s or 5m: more of it makes more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed of contents and of the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it, instead'
            cand --output 'Write the run to FILE, and the page beside it, instead'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --i-know 'Read a FILE that is a device, or write over a FILE that is there'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns, in lines of any width; by default lines have at most 100 columns'
            cand --json 'Print the run as JSON, every sample in it, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Keep nothing'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;pipeline'= {
            cand -a 'What to compute: one or several, separated by commas [default: sha256]'
            cand --algorithm 'What to compute: one or several, separated by commas [default: sha256]'
            cand --block 'Sizes of the blocks, separated by commas [default: 4096,8192,10000,1MiB; with --quick: 8KiB,1MiB]'
            cand --model 'Who reads, separated by commas: the thread that digests, one of its own, or a read engine [default: all]'
            cand --buffers 'Blocks between reading and digesting'
            cand --cache-state 'Files that the page cache holds, that it does not hold, or both'
            cand --files 'How many files are made [default: 8; with --quick: 2]'
            cand --file-size 'How large they are [default: 8MB; with --quick: 3MB]'
            cand --most 'Bytes of the files below DIR in all: they are taken in order of their names, and one that would be too much is not'
            cand --dir 'Directory for the files, on the disk, or in the memory, that they are to be read from'
            cand --path 'Directory for the files, on the disk, or in the memory, that they are to be read from'
            cand --name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --run-name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --budget 'Time for measuring, as in 90s or 5m: more of it makes more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed of contents and of the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it, instead'
            cand --output 'Write the run to FILE, and the page beside it, instead'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns, in lines of any width; by default lines have at most 100 columns'
            cand --json 'Print the run as JSON, every sample in it, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Keep nothing'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;machine'= {
            cand --programs 'Programs, separated by commas [default: all five]'
            cand --mode 'What is measured: programs that are started, this engine in one process, or both'
            cand --corpus 'What inputs are made of: `dictionary`, which is /usr/share/dict/american-english, or `word-list` where that is not there; `word-list`, which is the same on every machine; `random`; or a FILE'
            cand --copies 'Copies in one input, separated by commas [default: 1,32; with --quick: 1,16; as published: 1,512]'
            cand --iterations 'Effective iterations, all copies counted [default: 32,64,128; with --quick: 16,32; as published: 1Kib,5Kib,10Kib,15Kib]'
            cand --sink 'Where the output of the programs goes; dd writes all that it reads'
            cand --dd-block 'Bytes that dd reads at once [default: 32KiB, as the other programs do; as published: what dd takes by itself]'
            cand --sysperf-dir 'Write the files of sysperf into DIR: they name this host. Measurements are added to those that are there'
            cand --dir 'Directory for the inputs, on the disk, or in the memory, that they are to be read from'
            cand --path 'Directory for the inputs, on the disk, or in the memory, that they are to be read from'
            cand --name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --run-name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --budget 'Time for measuring, as in 90s or 5m: more of it makes more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed of contents and of the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it, instead'
            cand --output 'Write the run to FILE, and the page beside it, instead'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns, in lines of any width; by default lines have at most 100 columns'
            cand --json 'Print the run as JSON, every sample in it, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Keep nothing'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;speed'= {
            cand -a 'What to compute: one or several, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]'
            cand --algorithm 'What to compute: one or several, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]'
            cand --size 'Sizes of the messages, separated by commas, as in 64,10kB,1MiB [default: nine from 16 to 16MiB]'
            cand --threads 'Numbers of threads, separated by commas; more than there are cores count as all of them [default: 1 and all]'
            cand --plugin 'Measure test_NAME of the shared library FILE as well: `void test_NAME(char *buf, int size)`, from one thread'
            cand --form 'One message after the other, side by side in lanes, or both'
            cand --name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --run-name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --budget 'Time for measuring, as in 90s or 5m: more of it makes more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed of contents and of the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it, instead'
            cand --output 'Write the run to FILE, and the page beside it, instead'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns, in lines of any width; by default lines have at most 100 columns'
            cand --json 'Print the run as JSON, every sample in it, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Keep nothing'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;variant'= {
            cand --name 'What a variant is called, once for each command, in their order [default: the command]'
            cand --setup 'What a shell runs before anything is timed, once for each command, in their order; may be empty'
            cand --build-dir 'Where a variant is set up and run, once for each command, in their order; may be empty'
            cand --sizes 'Sizes of the files, separated by commas [default: 10MB,100MB,1GB; with --quick: 1MB,10MB]'
            cand --result 'What the result is in what a command prints: the first group of REGEX, or all of it'
            cand --timeout 'Kill a run that takes longer'
            cand --dir 'Directory for the files, on the disk, or in the memory, that they are to be read from'
            cand --path 'Directory for the files, on the disk, or in the memory, that they are to be read from'
            cand --run-name 'Call the run NAME: `report` and `compare` show it, the run file keeps it'
            cand --budget 'Time for measuring, as in 90s or 5m: more of it makes more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed of contents and of the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it, instead'
            cand --output 'Write the run to FILE, and the page beside it, instead'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --cold 'Have the page cache forget the file before each run'
            cand --no-result 'Do not compare results'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns, in lines of any width; by default lines have at most 100 columns'
            cand --json 'Print the run as JSON, every sample in it, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Keep nothing'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;help'= {
            cand io 'Measure blocks, system calls and threads: how this machine reads and writes files'
            cand pipeline 'Measure reading and digesting, alone and together, by block size and by who reads'
            cand machine 'Measure programs on copies of a dictionary, and this engine beside them'
            cand speed 'Measure digests of messages in memory, by algorithm and message size'
            cand variant 'Compare programs or builds with each other'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bench;help;io'= {
        }
        &'hashlane;bench;help;pipeline'= {
        }
        &'hashlane;bench;help;machine'= {
        }
        &'hashlane;bench;help;speed'= {
        }
        &'hashlane;bench;help;variant'= {
        }
        &'hashlane;bench;help;help'= {
        }
        &'hashlane;report'= {
            cand --format 'What is printed or written: tables, rows of CSV, gauges for Prometheus, the JSON of Google Benchmark, or the page [default: text; with --output: html]'
            cand -o 'Write to FILE instead of standard output'
            cand --output 'Write to FILE instead of standard output'
            cand --plot 'Print bars below the tables'
            cand --wide 'Show all columns, in lines of any width; by default lines have at most 100 columns'
            cand --classic 'Print the layout of the program that made the study first'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;compare'= {
            cand --reference 'The machine to compare with: the name of a run, a host, or a file [default: the first]'
            cand --format 'How to show it [default: as the name of --output ends, else text]'
            cand -o 'Write to FILE instead of standard output'
            cand --output 'Write to FILE instead of standard output'
            cand --wide 'Show all columns, in lines of any width; without it lines of text have 100 columns at most'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;sum'= {
            cand -a 'Algorithms, separated by commas [default: sha256]'
            cand --algorithm 'Algorithms, separated by commas [default: sha256]'
            cand --manifest-format 'Format of the manifest [default: gnu; with several algorithms: bsd]'
            cand --pieces 'Also digest every piece of SIZE of each file'
            cand -o 'Write to FILE, which appears when it is complete'
            cand --output 'Write to FILE, which appears when it is complete'
            cand --files0-out 'Write the names of the listed files to FILE, for `xargs -0`'
            cand --files-from 'Read the names of the files from FILE, one a line; `-` is standard input'
            cand --files0-from 'Read names that end with NUL from FILE, as `find -print0` writes them'
            cand --known 'Look contents up in FILE: an index of `hashlane known build`, or a manifest'
            cand --known-digest 'A single known content, as `sha256:HEX`; may be repeated'
            cand --unseen 'Write what is known and was not found to FILE, as lines of digest and name'
            cand --update 'Bring MANIFEST up to date: read only what is new or has changed'
            cand --trust 'With --update: what shows that a listed file is unchanged'
            cand --type 'Types of files to read in directories'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Skip files and directories that match GLOB; may be repeated'
            cand --ignore-file 'Skip what the patterns in FILE match, in the syntax of gitignore'
            cand --min-size 'Skip files smaller than SIZE, as in 100MB or 64KiB'
            cand --max-size 'Skip files larger than SIZE'
            cand --newer-than 'Skip files last modified before TIME, as in 2026-01-31 or 7d'
            cand --older-than 'Skip files last modified at TIME or later'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'How bytes are read'
            cand --max-rate 'Read at most RATE bytes a second, as in 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --tag 'BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
            cand --base64 'Digests in base64, with or without --tag; short for --manifest-format base64'
            cand -z 'End lines with NUL and escape nothing'
            cand --zero 'End lines with NUL and escape nothing'
            cand --header 'Begin with a header: which run wrote the manifest, and of what'
            cand --no-header 'Write no header, even where the format has one by default (hashdeep''s own two lines stay)'
            cand --strict-hashdeep 'Refuse what hashdeep 4.4 would not read back unharmed'
            cand --match 'List only files whose content is known'
            cand --no-match 'List only files whose content is not known'
            cand --show-matched-by 'Print what each file matches, not its digests: `PATH: matches NAME (SET)`'
            cand --fail-on-change 'With --update: exit with 1 for added, 2 for gone, 4 for changed files; these add up'
            cand -r 'Walk directories: the default; accepted for compatibility'
            cand --recursive 'Walk directories: the default; accepted for compatibility'
            cand --no-recursive 'Refuse directories'
            cand -x 'Stay on the file system of the named directory'
            cand --one-file-system 'Stay on the file system of the named directory'
            cand -L 'Follow symbolic links; by default they are counted and skipped'
            cand --follow 'Follow symbolic links; by default they are counted and skipped'
            cand --no-links-once 'Read a file with several names (hard links) once for each name, not once in all'
            cand --no-profile 'Ignore what `hashlane tune` has kept about the device'
            cand --drop-behind 'Leave nothing in the page cache of files that were not there before'
            cand --no-drop-behind 'Leave in the page cache whatever the system keeps there'
            cand --from-medium 'Read every byte from its device, past the page cache, or fail the file'
            cand --nice-io 'Read only while nobody else does, by the idle class of I/O priorities'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -q 'Do not print the summary line'
            cand --quiet 'Do not print the summary line'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;check'= {
            cand -a 'The algorithm of a manifest that does not name it'
            cand --algorithm 'The algorithm of a manifest that does not name it'
            cand --manifest-format 'Format of the manifests [default: detected]'
            cand --base 'Take names relative to DIR, and refuse those that lead out of it'
            cand --root 'Where --complete and --audit look for files; may be repeated'
            cand --strip-prefix 'With --audit: take PREFIX off the listed names'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Skip files and directories that match GLOB; may be repeated'
            cand --ignore-file 'Skip what the patterns in FILE match, in the syntax of gitignore'
            cand --min-size 'Skip files smaller than SIZE, as in 100MB or 64KiB'
            cand --max-size 'Skip files larger than SIZE'
            cand --newer-than 'Skip files last modified before TIME, as in 2026-01-31 or 7d'
            cand --older-than 'Skip files last modified at TIME or later'
            cand --format 'How results are printed: `text` as coreutils does, `json` as an object a line'
            cand -o 'Write results to FILE, which appears when it is complete'
            cand --output 'Write results to FILE, which appears when it is complete'
            cand --memory 'With --audit: memory for what is listed, as in 64MiB or 1GB; what takes more goes to temporary files, and then all verdicts come at the end'
            cand --temporary-directory 'With --audit: where temporary files are made; they have no names there [default: TMPDIR, else /var/tmp]'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'How bytes are read'
            cand --max-rate 'Read at most RATE bytes a second, as in 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand -z 'Lines end with NUL and nothing is escaped'
            cand --zero 'Lines end with NUL and nothing is escaped'
            cand --pieces 'Names that end with ` offset 0-1023` and the like are pieces of files'
            cand --complete 'Also report files that are there and not listed'
            cand --audit 'Read all files and report what became of each: changed, moved, copied, new, missing'
            cand --normalize 'Match names that differ in Unicode normalization only (NFC, NFD)'
            cand --ignore-case 'With --audit: names that differ in case only are the same'
            cand -x 'With --complete or --audit: stay on the file system of the directory'
            cand --one-file-system 'With --complete or --audit: stay on the file system of the directory'
            cand -L 'With --complete or --audit: follow symbolic links'
            cand --follow 'With --complete or --audit: follow symbolic links'
            cand --ignore-missing 'Do not fail for files that are missing'
            cand --strict 'Fail for every malformed line, also for those that list no file'
            cand -w 'Warn about each malformed line'
            cand --warn 'Warn about each malformed line'
            cand --fail-fast 'Stop at the first file that fails'
            cand -q 'Print failures only, and no summary where there are none'
            cand --quiet 'Print failures only, and no summary where there are none'
            cand --status 'Print nothing; the exit code tells'
            cand --silent 'Print nothing; the exit code tells'
            cand -v 'Print the expected and the computed digest of each mismatch'
            cand --verbose 'Print the expected and the computed digest of each mismatch'
            cand --no-profile 'Ignore what `hashlane tune` has kept about the device'
            cand --drop-behind 'Leave nothing in the page cache of files that were not there before'
            cand --no-drop-behind 'Leave in the page cache whatever the system keeps there'
            cand --from-medium 'Read every byte from its device, past the page cache, or fail the file'
            cand --nice-io 'Read only while nobody else does, by the idle class of I/O priorities'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;diff'= {
            cand -a 'The algorithm of a manifest that does not name it'
            cand --algorithm 'The algorithm of a manifest that does not name it'
            cand --manifest-format 'Format of the manifests [default: detected]'
            cand --base 'The directory that the names in the manifest are relative to'
            cand --strip-prefix 'Take PREFIX off the listed names of both manifests; may be repeated'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Skip files and directories that match GLOB; may be repeated'
            cand --ignore-file 'Skip what the patterns in FILE match, in the syntax of gitignore'
            cand --min-size 'Skip files smaller than SIZE, as in 100MB or 64KiB'
            cand --max-size 'Skip files larger than SIZE'
            cand --newer-than 'Skip files last modified before TIME, as in 2026-01-31 or 7d'
            cand --older-than 'Skip files last modified at TIME or later'
            cand --format 'How differences are printed'
            cand -o 'Write to FILE, which appears when it is complete'
            cand --output 'Write to FILE, which appears when it is complete'
            cand --memory 'Memory for sorting manifests that are not in order, as in 64MiB or 1GB'
            cand --temporary-directory 'Directory for temporary files, which have no names there [default: TMPDIR, else /var/tmp]'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'How bytes are read'
            cand --max-rate 'Read at most RATE bytes a second, as in 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --from-zero 'Lines of the manifests end with NUL and nothing is escaped'
            cand -L 'Follow symbolic links in the tree; by default they are counted and skipped'
            cand --follow 'Follow symbolic links in the tree; by default they are counted and skipped'
            cand -x 'Stay on the file system of the tree''s directory'
            cand --one-file-system 'Stay on the file system of the tree''s directory'
            cand --strict 'Fail for every malformed line, also for those that list no file'
            cand -w 'Warn about each malformed line, also about those that list no file'
            cand --warn 'Warn about each malformed line, also about those that list no file'
            cand -z 'End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`'
            cand --zero 'End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`'
            cand -v 'Print both sizes and digests of what differs'
            cand --verbose 'Print both sizes and digests of what differs'
            cand -q 'Do not print the summary'
            cand --quiet 'Do not print the summary'
            cand --status 'Print nothing; the exit code tells'
            cand --silent 'Print nothing; the exit code tells'
            cand --no-profile 'Ignore what `hashlane tune` has kept about the device'
            cand --drop-behind 'Leave nothing in the page cache of files that were not there before'
            cand --no-drop-behind 'Leave in the page cache whatever the system keeps there'
            cand --from-medium 'Read every byte from its device, past the page cache, or fail the file'
            cand --nice-io 'Read only while nobody else does, by the idle class of I/O priorities'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;convert'= {
            cand -a 'The algorithms to carry over [default: all that the first entry has]'
            cand --algorithm 'The algorithms to carry over [default: all that the first entry has]'
            cand --add 'Read the files, verify their listed digests, and list those of NAME as well'
            cand --base 'With --add: take names relative to DIR, and refuse those that lead out of it'
            cand --from 'Format of IN [default: detected]'
            cand --from-algorithm 'The algorithm of IN, where IN does not name it [default: the one that is carried over]'
            cand --manifest-format 'Format of the manifest [default: gnu; with several algorithms: bsd]'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'How bytes are read'
            cand --max-rate 'Read at most RATE bytes a second, as in 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --from-zero 'Lines of IN end with NUL and nothing is escaped'
            cand --force 'Replace OUT if it is there already'
            cand --tag 'BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
            cand --base64 'Digests in base64, with or without --tag; short for --manifest-format base64'
            cand -z 'End lines with NUL and escape nothing'
            cand --zero 'End lines with NUL and escape nothing'
            cand --header 'Begin with a header: which run wrote the manifest, and of what'
            cand --no-header 'Write no header, even where the format has one by default (hashdeep''s own two lines stay)'
            cand --strict-hashdeep 'Refuse what hashdeep 4.4 would not read back unharmed'
            cand --no-profile 'Ignore what `hashlane tune` has kept about the device'
            cand --drop-behind 'Leave nothing in the page cache of files that were not there before'
            cand --no-drop-behind 'Leave in the page cache whatever the system keeps there'
            cand --from-medium 'Read every byte from its device, past the page cache, or fail the file'
            cand --nice-io 'Read only while nobody else does, by the idle class of I/O priorities'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -q 'Do not report what was converted'
            cand --quiet 'Do not report what was converted'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;formats'= {
            cand --format 'How to show them'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;known'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand build 'Build an index from sets of known contents'
            cand info 'Show what an index holds'
            cand lookup 'Look digests up in an index'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;known;build'= {
            cand -o 'The index to write, which appears when it is complete'
            cand --output 'The index to write, which appears when it is complete'
            cand -a 'The algorithms to index, separated by commas [default: all that the sets have, but for checksums]'
            cand --algorithm 'The algorithms to index, separated by commas [default: all that the sets have, but for checksums]'
            cand --memory 'Memory for sorting; the rest goes through a temporary file'
            cand --manifest-format 'Format of the manifests [default: detected]'
            cand --names 'Keep the names, for --show-matched-by and --unseen'
            cand -z 'Lines of the manifests end with NUL and nothing is escaped'
            cand --zero 'Lines of the manifests end with NUL and nothing is escaped'
            cand -q 'Do not report what was built'
            cand --quiet 'Do not report what was built'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;known;info'= {
            cand --format 'How to show it'
            cand --verify 'Read all of it, and verify every checksum and the order'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;known;lookup'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;known;help'= {
            cand build 'Build an index from sets of known contents'
            cand info 'Show what an index holds'
            cand lookup 'Look digests up in an index'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;known;help;build'= {
        }
        &'hashlane;known;help;info'= {
        }
        &'hashlane;known;help;lookup'= {
        }
        &'hashlane;known;help;help'= {
        }
        &'hashlane;bag'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand create 'Turn a directory into a bag, in its place'
            cand validate 'Verify a bag: its form, its completeness and every digest in it'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bag;create'= {
            cand -a 'Algorithms, separated by commas [default: sha256,sha512]'
            cand --algorithm 'Algorithms, separated by commas [default: sha256,sha512]'
            cand --info 'An element of bag-info.txt; may be repeated'
            cand --bagit-version 'The version of the bag: 1.0 is RFC 8493; 0.97 writes percent signs in names as they are'
            cand --data 'What to do where DIR has a `data` already: it is the payload, or it is moved like all else'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'How bytes are read'
            cand --max-rate 'Read at most RATE bytes a second, as in 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --keep-empty 'Put an empty file `.keep` into each empty directory: a bag lists files only'
            cand --undo 'Put back what an interrupted run has moved, without making a bag'
            cand -q 'Do not report what was made'
            cand --quiet 'Do not report what was made'
            cand --no-profile 'Ignore what `hashlane tune` has kept about the device'
            cand --drop-behind 'Leave nothing in the page cache of files that were not there before'
            cand --no-drop-behind 'Leave in the page cache whatever the system keeps there'
            cand --from-medium 'Read every byte from its device, past the page cache, or fail the file'
            cand --nice-io 'Read only while nobody else does, by the idle class of I/O priorities'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bag;validate'= {
            cand --format 'How the results are printed: lines of text, or an object a line'
            cand -o 'Write results to FILE, which appears when it is complete'
            cand --output 'Write results to FILE, which appears when it is complete'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'How bytes are read'
            cand --max-rate 'Read at most RATE bytes a second, as in 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --quick 'Compare names and Payload-Oxum only, without computing digests: this is not a validation'
            cand --fail-fast 'Stop at the first error'
            cand -q 'Print failures only'
            cand --quiet 'Print failures only'
            cand --status 'Print nothing; the exit code tells'
            cand --silent 'Print nothing; the exit code tells'
            cand -v 'Print the expected and the computed digest of each mismatch'
            cand --verbose 'Print the expected and the computed digest of each mismatch'
            cand --no-profile 'Ignore what `hashlane tune` has kept about the device'
            cand --drop-behind 'Leave nothing in the page cache of files that were not there before'
            cand --no-drop-behind 'Leave in the page cache whatever the system keeps there'
            cand --from-medium 'Read every byte from its device, past the page cache, or fail the file'
            cand --nice-io 'Read only while nobody else does, by the idle class of I/O priorities'
            cand --calibrate 'Use the backends that were measured to be fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and measure none after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bag;help'= {
            cand create 'Turn a directory into a bag, in its place'
            cand validate 'Verify a bag: its form, its completeness and every digest in it'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bag;help;create'= {
        }
        &'hashlane;bag;help;validate'= {
        }
        &'hashlane;bag;help;help'= {
        }
        &'hashlane;backends'= {
            cand -a 'Algorithms, separated by commas [default: all that have more than one backend]'
            cand --algorithm 'Algorithms, separated by commas [default: all that have more than one backend]'
            cand --budget 'Time for measuring, as in 90s or 5m'
            cand --backend 'How digests are computed, where there is a choice [default: the fastest]'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --format 'How the results are printed: `text` as a table, `json` as an object a line'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --no-save 'Keep nothing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;tune'= {
            cand --budget 'Time for measuring, as in 90s or 5m'
            cand --seed 'Seed of file contents and of the order of the measurements'
            cand --cache 'Directory for what was measured of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --drop-caches 'Drop the names and inodes of all files before each cold reading of small ones'
            cand --json 'Print the profile as it is kept, every sample in it, instead of tables'
            cand --no-save 'Keep nothing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;as'= {
            cand --list 'List the programs'
            cand --as-is 'Bring back old quirks that a script may depend on; it stands before NAME'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;install-links'= {
            cand --force 'Replace what else has such a name; directories stay'
            cand -q 'Do not report what was done'
            cand --quiet 'Do not report what was done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;generate'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;help'= {
            cand bench 'Measure how fast this machine reads, writes and digests'
            cand report 'Show a saved run, make its page, or hand its figures to other programs'
            cand compare 'Compare runs and machines, cell by cell'
            cand sum 'Print the digests of files and trees'
            cand check 'Verify that files still have the digests that a manifest lists'
            cand diff 'Report what differs between two manifests, or between a manifest and a tree'
            cand convert 'Turn a manifest into another format'
            cand formats 'List the manifest formats: how each is told from the others, and what it holds'
            cand known 'Index sets of known contents, and look digests up'
            cand bag 'Make bags (BagIt, RFC 8493) and verify them'
            cand backends 'Measure how fast each algorithm is by each backend of this CPU'
            cand tune 'Measure how the device below PATH is read best, and keep that for sum and check'
            cand as 'Play an older program: the same options, output and exit codes'
            cand install-links 'Make links to this program under the names of those that it plays'
            cand generate 'Write man pages or completions into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;help;bench'= {
            cand io 'Measure blocks, system calls and threads: how this machine reads and writes files'
            cand pipeline 'Measure reading and digesting, alone and together, by block size and by who reads'
            cand machine 'Measure programs on copies of a dictionary, and this engine beside them'
            cand speed 'Measure digests of messages in memory, by algorithm and message size'
            cand variant 'Compare programs or builds with each other'
        }
        &'hashlane;help;bench;io'= {
        }
        &'hashlane;help;bench;pipeline'= {
        }
        &'hashlane;help;bench;machine'= {
        }
        &'hashlane;help;bench;speed'= {
        }
        &'hashlane;help;bench;variant'= {
        }
        &'hashlane;help;report'= {
        }
        &'hashlane;help;compare'= {
        }
        &'hashlane;help;sum'= {
        }
        &'hashlane;help;check'= {
        }
        &'hashlane;help;diff'= {
        }
        &'hashlane;help;convert'= {
        }
        &'hashlane;help;formats'= {
        }
        &'hashlane;help;known'= {
            cand build 'Build an index from sets of known contents'
            cand info 'Show what an index holds'
            cand lookup 'Look digests up in an index'
        }
        &'hashlane;help;known;build'= {
        }
        &'hashlane;help;known;info'= {
        }
        &'hashlane;help;known;lookup'= {
        }
        &'hashlane;help;bag'= {
            cand create 'Turn a directory into a bag, in its place'
            cand validate 'Verify a bag: its form, its completeness and every digest in it'
        }
        &'hashlane;help;bag;create'= {
        }
        &'hashlane;help;bag;validate'= {
        }
        &'hashlane;help;backends'= {
        }
        &'hashlane;help;tune'= {
        }
        &'hashlane;help;as'= {
        }
        &'hashlane;help;install-links'= {
        }
        &'hashlane;help;generate'= {
        }
        &'hashlane;help;help'= {
        }
    ]
    $completions[$command]
}
