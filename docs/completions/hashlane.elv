
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
            cand report 'Show a saved run, make its page, or export its figures'
            cand compare 'Compare runs and machines, cell by cell'
            cand sum 'Print the digests of files and trees'
            cand check 'Verify that files still have the digests that a manifest lists'
            cand diff 'Report what differs between two manifests, two trees, or one of each'
            cand convert 'Convert a manifest to another format'
            cand merge 'Join the manifests of shards into one'
            cand formats 'List the manifest formats: how each is detected, and what it stores'
            cand collection 'Register trees of files that are audited over time'
            cand audit 'Audit collections: what is missing, changed, corrupt or new?'
            cand status 'Show how the collections are: one sentence, and a row for each'
            cand history 'Show what is known of a file, and what happened to it'
            cand events 'List what happened, in one order, and follow it'
            cand accept 'Accept files as they are now'
            cand acknowledge 'Say that a finding is known, so that it alarms nobody'
            cand catalog 'Check, copy and compact the catalogue, and list its seals and what was changed'
            cand tell 'Tell people what audits find, as the configuration says'
            cand config 'Check or show the configuration'
            cand known 'Index sets of known contents, and look up digests'
            cand bag 'Make bags (BagIt, RFC 8493) and verify them'
            cand mhl 'Make, verify and show histories of media (ASC MHL 2.0)'
            cand backends 'Measure how fast each backend of this CPU computes each algorithm'
            cand tune 'Measure how best to read the device of PATH, and save that for sum and check'
            cand as 'Act as an older program, with the same options, output and exit codes'
            cand install-links 'Make links to this program under the names of the older programs'
            cand generate 'Write man pages or completions into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bench'= {
            cand --path 'Directory for the test files, on the disk to be measured'
            cand --dir 'Directory for the test files, on the disk to be measured'
            cand --budget 'Time to spend on measuring, such as 90s or 5m [default: 60s; with --quick: 9s]'
            cand --seed 'Seed for file contents and the order of the cells'
            cand --name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --run-name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it'
            cand --output 'Write the run to FILE, and the page beside it'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take ten seconds: smaller files, shorter samples, wider intervals'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns; by default lines are at most 100 characters wide'
            cand --json 'Print the run as JSON, with every sample, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Do not save the run'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand io 'Measure how this machine reads and writes files: block sizes, system calls and threads'
            cand pipeline 'Measure reading and digesting, alone and together, by block size and by reading thread'
            cand machine 'Measure programs on copies of a dictionary, and compare this engine with them'
            cand speed 'Measure digests of messages in memory, by algorithm and message size'
            cand variant 'Compare programs or builds with each other'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bench;io'= {
            cand -w 'Write FILE once, as COUNT blocks of BLOCK bytes, until it is on the device; it is kept'
            cand --write 'Write FILE once, as COUNT blocks of BLOCK bytes, until it is on the device; it is kept'
            cand -r 'Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words'
            cand --read 'Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words'
            cand --reasonable 'Find the size of a file that takes 5 to 15 seconds to read in blocks of BLOCK bytes'
            cand --block 'Block sizes for reading, separated by commas, such as 512,4KiB,1MiB [default: ten from 512 to 16MiB]'
            cand --drop 'Drop kernel caches of the whole machine before each cold sample: 1 the page cache, 2 names and inodes, 3 both; needs root'
            cand --dir 'Directory for the files, on the disk to be measured'
            cand --path 'Directory for the files, on the disk to be measured'
            cand --name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --run-name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --budget 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed for contents and the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it'
            cand --output 'Write the run to FILE, and the page beside it'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --i-know 'Read a FILE that is a device, or overwrite an existing FILE'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns; by default lines are at most 100 characters wide'
            cand --json 'Print the run as JSON, with every sample, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Do not save the run'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;pipeline'= {
            cand -a 'Algorithms, separated by commas [default: sha256]'
            cand --algorithm 'Algorithms, separated by commas [default: sha256]'
            cand --block 'Block sizes, separated by commas [default: 4096,8192,10000,1MiB; with --quick: 8KiB,1MiB]'
            cand --model 'What reads, separated by commas: the thread that digests, a separate thread, or a read engine [default: all]'
            cand --buffers 'Number of blocks between reading and digesting'
            cand --cache-state 'Read files that are in the page cache, files that are not, or both'
            cand --files 'Number of files to make [default: 8; with --quick: 2]'
            cand --file-size 'Size of each file [default: 8MB; with --quick: 3MB]'
            cand --most 'Total bytes to read below DIR; files are taken in order of name, and one that would exceed this is skipped'
            cand --dir 'Directory for the files, on the disk or in the memory that they are read from'
            cand --path 'Directory for the files, on the disk or in the memory that they are read from'
            cand --name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --run-name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --budget 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed for contents and the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it'
            cand --output 'Write the run to FILE, and the page beside it'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns; by default lines are at most 100 characters wide'
            cand --json 'Print the run as JSON, with every sample, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Do not save the run'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;machine'= {
            cand --programs 'Programs, separated by commas [default: all five]'
            cand --mode 'What to measure: programs, this engine in one process, or both'
            cand --corpus 'What inputs are made of: `dictionary`, which is /usr/share/dict/american-english, or `word-list` if that does not exist; `word-list`, which is the same on every machine; `random`; or a FILE'
            cand --copies 'Copies in each input, separated by commas [default: 1,32; with --quick: 1,16; as published: 1,512]'
            cand --iterations 'Effective iterations, counting all copies [default: 32,64,128; with --quick: 16,32; as published: 1Kib,5Kib,10Kib,15Kib]'
            cand --sink 'Where the output of the programs goes; dd writes all that it reads'
            cand --dd-block 'Block size of dd [default: 32KiB, as in the other programs; as published: the default of dd]'
            cand --sysperf-dir 'Write files of sysperf, which name this host, into DIR; measurements are added to existing ones'
            cand --dir 'Directory for the inputs, on the disk or in the memory that they are read from'
            cand --path 'Directory for the inputs, on the disk or in the memory that they are read from'
            cand --name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --run-name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --budget 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed for contents and the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it'
            cand --output 'Write the run to FILE, and the page beside it'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns; by default lines are at most 100 characters wide'
            cand --json 'Print the run as JSON, with every sample, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Do not save the run'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;speed'= {
            cand -a 'Algorithms, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]'
            cand --algorithm 'Algorithms, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]'
            cand --size 'Message sizes, separated by commas, such as 64,10kB,1MiB [default: nine from 16 to 16MiB]'
            cand --threads 'Numbers of threads, separated by commas; a number above that of cores counts as all cores [default: 1 and all]'
            cand --plugin 'Also measure `void test_NAME(char *buf, int size)` of the shared library FILE, on one thread'
            cand --form 'Messages one after the other, side by side in lanes, or both'
            cand --name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --run-name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --budget 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed for contents and the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it'
            cand --output 'Write the run to FILE, and the page beside it'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns; by default lines are at most 100 characters wide'
            cand --json 'Print the run as JSON, with every sample, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Do not save the run'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;variant'= {
            cand --command 'Command to run as it is, without a file; once per command. Results are compared only with --result'
            cand --name 'Name of a variant, once per command, in the same order [default: the command]'
            cand --setup 'Shell command to run before anything is timed, once per command, in the same order; may be empty'
            cand --build-dir 'Directory in which a variant is set up and run, once per command, in the same order; may be empty'
            cand --sizes 'File sizes, separated by commas [default: 10MB,100MB,1GB; with --quick: 1MB,10MB]'
            cand --result 'Where the result is in the output of a command: the first group of REGEX, or all of it'
            cand --timeout 'Kill a run that takes longer than TIME'
            cand --dir 'Directory for the files, on the disk or in the memory that they are read from'
            cand --path 'Directory for the files, on the disk or in the memory that they are read from'
            cand --run-name 'Name of the run, which the run file stores and `report` and `compare` show'
            cand --budget 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]'
            cand --seed 'Seed for contents and the order of the cells'
            cand --runs 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]'
            cand -o 'Write the run to FILE, and the page beside it'
            cand --output 'Write the run to FILE, and the page beside it'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --shell 'Run each command by `sh -c`, so that pipes and variables work; the start of the shell is part of its time'
            cand --ignore-failure 'Count a run also if the command fails'
            cand --cold 'Drop the file from the page cache before each run'
            cand --no-result 'Do not compare results'
            cand --quick 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
            cand --as-published 'Measure what the original study measured, with its sizes and numbers'
            cand --classic 'Print the tables of the original study instead of ours'
            cand --no-host-name 'Leave the name of this host out of the run file and the page'
            cand --wide 'Show all columns; by default lines are at most 100 characters wide'
            cand --json 'Print the run as JSON, with every sample, instead of tables'
            cand --plot 'Print bars below the tables'
            cand --no-save 'Do not save the run'
            cand --open 'Open the page in a browser'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bench;help'= {
            cand io 'Measure how this machine reads and writes files: block sizes, system calls and threads'
            cand pipeline 'Measure reading and digesting, alone and together, by block size and by reading thread'
            cand machine 'Measure programs on copies of a dictionary, and compare this engine with them'
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
            cand --format 'Output format: tables, CSV rows, Prometheus gauges, Google Benchmark JSON, or the page [default: text; with --output: html]'
            cand -o 'Write to FILE instead of standard output'
            cand --output 'Write to FILE instead of standard output'
            cand --plot 'Print bars below the tables'
            cand --wide 'Show all columns; by default lines are at most 100 characters wide'
            cand --classic 'Print the tables of the original study instead of ours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;compare'= {
            cand --reference 'The machine to compare with: the name of a run, a host, or a file [default: the first]'
            cand --format 'Output format [default: by the extension of --output, else text]'
            cand -o 'Write to FILE instead of standard output'
            cand --output 'Write to FILE instead of standard output'
            cand --wide 'Show all columns; by default lines of text are at most 100 characters wide'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;sum'= {
            cand -a 'Algorithms, separated by commas [default: sha256]'
            cand --algorithm 'Algorithms, separated by commas [default: sha256]'
            cand --manifest-format 'Format of the manifest [default: gnu; with several algorithms: bsd]'
            cand --pieces 'Also digest each file in pieces of SIZE'
            cand -o 'Write to FILE, which appears only when complete'
            cand --output 'Write to FILE, which appears only when complete'
            cand --files0-out 'Write the names of the listed files to FILE, for `xargs -0`'
            cand --files-from 'Read file names from FILE, one per line; `-` is standard input'
            cand --files0-from 'Read NUL-terminated file names from FILE, as `find -print0` writes them'
            cand --known 'Look up contents in FILE: an index of `hashlane known build`, or a manifest'
            cand --known-digest 'Digest of a known content, as `sha256:HEX`; may be repeated'
            cand --unseen 'Write known contents that were not found to FILE, one digest and name per line'
            cand --update 'Bring MANIFEST up to date: read only what is new or has changed'
            cand --trust 'With --update: what shows that a listed file is unchanged'
            cand --type 'Types of files to read in directories'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Skip files and directories that match GLOB; may be repeated'
            cand --ignore-file 'Skip what the patterns in FILE match, in gitignore syntax'
            cand --min-size 'Skip files smaller than SIZE, such as 100MB or 64KiB'
            cand --max-size 'Skip files larger than SIZE'
            cand --newer-than 'Skip files last modified before TIME, such as 2026-01-31 or 7d'
            cand --older-than 'Skip files last modified at TIME or later'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --endpoint 'URL of the server of a store [default: what the environment names, else the provider''s]'
            cand --region 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]'
            cand --max-requests 'Make at most N requests of an object store'
            cand --retries 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]'
            cand --retry-for 'Make a request that fails for the moment again for TIME, such as 10m'
            cand --shard 'Read only part I of N of what is listed, for N machines that share the work'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --tag 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
            cand --base64 'Write digests in base64, with or without --tag; short for --manifest-format base64'
            cand -z 'End lines with NUL and escape nothing'
            cand --zero 'End lines with NUL and escape nothing'
            cand --header 'Begin with a header that states which run wrote the manifest, and of what'
            cand --no-header 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)'
            cand --strict-hashdeep 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
            cand --match 'List only files whose content is known'
            cand --no-match 'List only files whose content is not known'
            cand --show-matched-by 'Print what each file matches instead of its digests: `PATH: matches NAME (SET)`'
            cand --fail-on-change 'With --update: exit with 1 for added, 2 for gone, 4 for changed files; these add up, and a moved file counts as added and gone'
            cand -r 'Walk directories: the default; accepted for compatibility'
            cand --recursive 'Walk directories: the default; accepted for compatibility'
            cand --no-recursive 'Refuse directories'
            cand -x 'Stay on the file system of the named directory'
            cand --one-file-system 'Stay on the file system of the named directory'
            cand -L 'Follow symbolic links; by default they are counted and skipped'
            cand --follow 'Follow symbolic links; by default they are counted and skipped'
            cand --no-links-once 'Read a file with several names (hard links) once for each name instead of once'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --no-sign-request 'Ask without credentials, for objects that everybody may read'
            cand --requester-pays 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
            cand --versions 'Read all versions that a bucket of S3 keeps, not only the current ones'
            cand --dry-run 'Only list the objects, and print how many bytes and requests it would take to read them'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
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
            cand --base 'Resolve names relative to DIR, and refuse those that lead out of it'
            cand --root 'Where --complete and --audit look for files; may be repeated'
            cand --strip-prefix 'Remove PREFIX from the listed names'
            cand --names 'How names are written in the list: `windows`, a code page such as `cp1252`, or both, separated by a comma'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Skip files and directories that match GLOB; may be repeated'
            cand --ignore-file 'Skip what the patterns in FILE match, in gitignore syntax'
            cand --min-size 'Skip files smaller than SIZE, such as 100MB or 64KiB'
            cand --max-size 'Skip files larger than SIZE'
            cand --newer-than 'Skip files last modified before TIME, such as 2026-01-31 or 7d'
            cand --older-than 'Skip files last modified at TIME or later'
            cand --format 'Output format: `text` as in coreutils, `json` as one object per line'
            cand -o 'Write results to FILE, which appears only when complete'
            cand --output 'Write results to FILE, which appears only when complete'
            cand --memory 'With --audit: memory for the listed entries, such as 64MiB or 1GB; beyond it, temporary files are used and all verdicts come at the end'
            cand --temporary-directory 'With --audit: directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --endpoint 'URL of the server of a store [default: what the environment names, else the provider''s]'
            cand --region 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]'
            cand --max-requests 'Make at most N requests of an object store'
            cand --retries 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]'
            cand --retry-for 'Make a request that fails for the moment again for TIME, such as 10m'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand -z 'Lines end with NUL, and nothing is escaped'
            cand --zero 'Lines end with NUL, and nothing is escaped'
            cand --pieces 'Treat names that end like ` offset 0-1023` as pieces of files'
            cand --complete 'Also report files that exist but are not listed'
            cand --names-only 'Compare names only, and read no file'
            cand --audit 'Read all files and report what happened to each: changed, moved, copied, new, missing'
            cand --beside 'Resolve names relative to the directory of their manifest'
            cand --normalize 'Match names that differ only in Unicode normalization (NFC, NFD)'
            cand --ignore-case 'Treat names that differ only in case as the same'
            cand -x 'With --complete or --audit: stay on the file system of the directory'
            cand --one-file-system 'With --complete or --audit: stay on the file system of the directory'
            cand -L 'With --complete or --audit: follow symbolic links'
            cand --follow 'With --complete or --audit: follow symbolic links'
            cand --ignore-missing 'Do not fail for missing files'
            cand --strict 'Fail for every malformed line, even one that lists no file'
            cand -w 'Warn about each malformed line'
            cand --warn 'Warn about each malformed line'
            cand --fail-fast 'Stop at the first file that fails'
            cand -q 'Print failures only, and no summary if there are none'
            cand --quiet 'Print failures only, and no summary if there are none'
            cand --status 'Print nothing; the exit code is the result'
            cand --silent 'Print nothing; the exit code is the result'
            cand -v 'Print the expected and the computed digest of each mismatch'
            cand --verbose 'Print the expected and the computed digest of each mismatch'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --no-sign-request 'Ask without credentials, for objects that everybody may read'
            cand --requester-pays 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
            cand --versions 'Read names that end with `?versionId=ID` as that version of an object of S3'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;diff'= {
            cand -a 'The algorithm of a manifest that does not name it, or of a comparison without manifests [default: sha256]'
            cand --algorithm 'The algorithm of a manifest that does not name it, or of a comparison without manifests [default: sha256]'
            cand --manifest-format 'Format of the manifests [default: detected]'
            cand --base 'The directory, or s3://BUCKET/PREFIX, that the names in the manifest are relative to'
            cand --strip-prefix 'Remove PREFIX from the listed names of both manifests; may be repeated'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Skip files and directories that match GLOB; may be repeated'
            cand --ignore-file 'Skip what the patterns in FILE match, in gitignore syntax'
            cand --min-size 'Skip files smaller than SIZE, such as 100MB or 64KiB'
            cand --max-size 'Skip files larger than SIZE'
            cand --newer-than 'Skip files last modified before TIME, such as 2026-01-31 or 7d'
            cand --older-than 'Skip files last modified at TIME or later'
            cand --format 'Output format'
            cand -o 'Write to FILE, which appears only when complete'
            cand --output 'Write to FILE, which appears only when complete'
            cand --memory 'Memory for sorting manifests that are not in order, such as 64MiB or 1GB'
            cand --temporary-directory 'Directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --endpoint 'URL of the server of a store [default: what the environment names, else the provider''s]'
            cand --region 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]'
            cand --max-requests 'Make at most N requests of an object store'
            cand --retries 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]'
            cand --retry-for 'Make a request that fails for the moment again for TIME, such as 10m'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --from-zero 'Lines of the manifests end with NUL, and nothing is escaped'
            cand --normalize 'Compare names of two directories in whatever Unicode normalization'
            cand -L 'Follow symbolic links in the tree; by default they are counted and skipped'
            cand --follow 'Follow symbolic links in the tree; by default they are counted and skipped'
            cand -x 'Stay on the file system of the tree''s directory'
            cand --one-file-system 'Stay on the file system of the tree''s directory'
            cand --strict 'Fail for every malformed line, even one that lists no file'
            cand -w 'Warn about each malformed line, even one that lists no file'
            cand --warn 'Warn about each malformed line, even one that lists no file'
            cand -z 'End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`'
            cand --zero 'End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`'
            cand -v 'Print both sizes and digests of each difference'
            cand --verbose 'Print both sizes and digests of each difference'
            cand -q 'Do not print the summary'
            cand --quiet 'Do not print the summary'
            cand --status 'Print nothing; the exit code is the result'
            cand --silent 'Print nothing; the exit code is the result'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --no-sign-request 'Ask without credentials, for objects that everybody may read'
            cand --requester-pays 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;convert'= {
            cand -a 'Algorithms to copy [default: all that the first entry has]'
            cand --algorithm 'Algorithms to copy [default: all that the first entry has]'
            cand --add 'Read the files, verify their listed digests, and add digests of NAME'
            cand --base 'With --add: resolve names relative to DIR, and refuse those that lead out of it'
            cand --from 'Format of IN [default: detected]'
            cand --from-algorithm 'The algorithm of IN, if IN does not name it [default: the one that is copied]'
            cand --manifest-format 'Format of the manifest [default: gnu; with several algorithms: bsd]'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --from-zero 'Lines of IN end with NUL, and nothing is escaped'
            cand --force 'Replace OUT if it exists'
            cand --tag 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
            cand --base64 'Write digests in base64, with or without --tag; short for --manifest-format base64'
            cand -z 'End lines with NUL and escape nothing'
            cand --zero 'End lines with NUL and escape nothing'
            cand --header 'Begin with a header that states which run wrote the manifest, and of what'
            cand --no-header 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)'
            cand --strict-hashdeep 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -q 'Do not print the summary'
            cand --quiet 'Do not print the summary'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;merge'= {
            cand -o 'Write to FILE, which appears only when complete'
            cand --output 'Write to FILE, which appears only when complete'
            cand --manifest-format 'Format of the manifest [default: gnu; with several algorithms: bsd]'
            cand --tag 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
            cand --base64 'Write digests in base64, with or without --tag; short for --manifest-format base64'
            cand -z 'End lines with NUL and escape nothing'
            cand --zero 'End lines with NUL and escape nothing'
            cand --header 'Begin with a header that states which run wrote the manifest, and of what'
            cand --no-header 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)'
            cand --strict-hashdeep 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
            cand -q 'Do not print the summary'
            cand --quiet 'Do not print the summary'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;formats'= {
            cand --format 'Output format'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand add 'Register a tree as a collection'
            cand list 'List the collections'
            cand show 'Show what a collection is, and how it is'
            cand set 'Change what a collection promises, and what belongs to it'
            cand rename 'Give a collection another name'
            cand relocate 'Say that the tree of a collection lies somewhere else now'
            cand remove 'Take a collection out of the list'
            cand restore 'Bring back a collection that was removed'
            cand purge 'Forget all that is known of a collection, for ever'
            cand import 'Register digests that come from elsewhere'
            cand export 'Write what is known of a collection as a manifest, in any format'
            cand report 'Report what stands against collections, what to do about it, and how audits went'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;collection;add'= {
            cand --every 'Promise that every byte is read again within TIME, such as 30d; `never` promises nothing [default: 90d, for objects never]'
            cand -a 'Algorithms, separated by commas; they cannot be changed later'
            cand --algorithm 'Algorithms, separated by commas; they cannot be changed later'
            cand --policy 'What may change: `living`, `growing` (the default) or `frozen`; with `:GLOB` for the files that match; may be repeated'
            cand --group 'The group that it is listed in'
            cand --tag 'What else it is called; may be repeated'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Not files and directories that match GLOB; may be repeated'
            cand --append-only 'Files that match GLOB may grow, as long as they begin as before; may be repeated'
            cand --hold-files 'Hold an audit where more files than N are lost or changed'
            cand --hold-percent 'Hold an audit where more than P in a hundred files are lost or changed, whatever the policy; by default 1, of those that are lost'
            cand --from 'Which readings keep the promise: those of the `device` alone, or `any`'
            cand --endpoint 'URL of the server of a store [default: what the environment names, else the provider''s]'
            cand --region 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand --frozen 'The same as `--policy frozen`: new and changed files are findings, until somebody accepts them'
            cand --living 'The same as `--policy living`: new and changed files are accepted and counted'
            cand --marker 'Write a file into the root of the tree by which it is known again'
            cand -x 'Stay on the file system of DIR'
            cand --one-file-system 'Stay on the file system of DIR'
            cand --removable 'The tree may be away, as an unplugged disk is: that alone is no fault'
            cand --no-removable 'The tree is to be there, also where it lies on a removable disk'
            cand --allow-empty 'The tree may have no files when it is first audited'
            cand --no-sign-request 'Ask without credentials, for objects that everybody may read'
            cand --requester-pays 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;list'= {
            cand --format 'Output format: `text`, a table, or `json`, an array'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --removed 'List those that were removed'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;show'= {
            cand --format 'Output format: `text` or `json`, an object'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;set'= {
            cand --every 'Promise that every byte is read again within TIME, such as 30d; `never` promises nothing'
            cand --policy 'What may change: `living`, `growing` or `frozen`; with `:GLOB` for the files that match; may be repeated'
            cand --group 'The group that it is listed in'
            cand --tag 'What else it is called; may be repeated. An empty TAG ('''') stands for none'
            cand --include 'Only files that match GLOB; may be repeated'
            cand --exclude 'Not files and directories that match GLOB; may be repeated'
            cand --append-only 'Files that match GLOB may grow, as long as they begin as before; may be repeated'
            cand --hold-files 'Hold an audit where more files than N are lost or changed'
            cand --hold-percent 'Hold an audit where more than P in a hundred files are lost or changed, whatever the policy'
            cand --from 'Which readings keep the promise: those of the `device` alone, or `any`'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand --no-promise 'The same as `--every never`'
            cand --frozen 'The same as `--policy frozen`: new and changed files are findings, until somebody accepts them'
            cand --living 'The same as `--policy living`: new and changed files are accepted and counted'
            cand --yes 'A filter that leaves out more than a tenth of the known files is meant; or it is the right tree for --marker'
            cand --removable 'The tree may be away, as an unplugged disk is: that alone is no fault'
            cand --no-removable 'The tree is to be there, also where it lies on a removable disk'
            cand --allow-empty 'The tree may have no files when it is first audited'
            cand --marker 'Write a file into the root of the tree by which it is known again'
            cand --no-marker 'Know the tree by its file system and the inode of its root, and not by a marker'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;rename'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;relocate'= {
            cand --endpoint 'URL of the server of a store [default: what the environment names, else the provider''s]'
            cand --region 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand --no-sign-request 'Ask without credentials, for objects that everybody may read'
            cand --requester-pays 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;remove'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;restore'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;purge'= {
            cand --removed-at 'The one that was removed at TIME, as `collection list --removed` shows it, where several have had the name'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand --force 'Yes, for ever'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;import'= {
            cand --strip-prefix 'Take PREFIX from the beginning of the listed names'
            cand --manifest-format 'Format of the lists [default: detected]'
            cand --reason 'Why, for the history'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -z 'Lines of the lists end with NUL, and nothing is escaped'
            cand --zero 'Lines of the lists end with NUL, and nothing is escaped'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;export'= {
            cand -o 'Write to FILE, which appears only when complete'
            cand --output 'Write to FILE, which appears only when complete'
            cand --format 'Write a list for a provider instead: `s3-batch`, which S3 Batch Operations takes'
            cand --manifest-format 'Format of the manifest [default: gnu; with several algorithms: bsd]'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --tag 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
            cand --base64 'Write digests in base64, with or without --tag; short for --manifest-format base64'
            cand -z 'End lines with NUL and escape nothing'
            cand --zero 'End lines with NUL and escape nothing'
            cand --header 'Begin with a header that states which run wrote the manifest, and of what'
            cand --no-header 'Do not write a header, even if the format has one by default (hashdeep''s own two lines are kept)'
            cand --strict-hashdeep 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;report'= {
            cand --format 'Output format: `text`, `json`, an object, `csv`, a row for each finding, or `html`, a page'
            cand -o 'Write to FILE, which appears only when complete'
            cand --output 'Write to FILE, which appears only when complete'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;collection;help'= {
            cand add 'Register a tree as a collection'
            cand list 'List the collections'
            cand show 'Show what a collection is, and how it is'
            cand set 'Change what a collection promises, and what belongs to it'
            cand rename 'Give a collection another name'
            cand relocate 'Say that the tree of a collection lies somewhere else now'
            cand remove 'Take a collection out of the list'
            cand restore 'Bring back a collection that was removed'
            cand purge 'Forget all that is known of a collection, for ever'
            cand import 'Register digests that come from elsewhere'
            cand export 'Write what is known of a collection as a manifest, in any format'
            cand report 'Report what stands against collections, what to do about it, and how audits went'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;collection;help;add'= {
        }
        &'hashlane;collection;help;list'= {
        }
        &'hashlane;collection;help;show'= {
        }
        &'hashlane;collection;help;set'= {
        }
        &'hashlane;collection;help;rename'= {
        }
        &'hashlane;collection;help;relocate'= {
        }
        &'hashlane;collection;help;remove'= {
        }
        &'hashlane;collection;help;restore'= {
        }
        &'hashlane;collection;help;purge'= {
        }
        &'hashlane;collection;help;import'= {
        }
        &'hashlane;collection;help;export'= {
        }
        &'hashlane;collection;help;report'= {
        }
        &'hashlane;collection;help;help'= {
        }
        &'hashlane;audit'= {
            cand --for 'Begin no file after TIME, such as 2h'
            cand --bytes 'Read at most SIZE, such as 500GB'
            cand --files 'Read at most N files'
            cand --max-requests 'Make at most N requests of object stores, listings and repetitions included'
            cand --percent 'Read at most P in a hundred of the bytes of each collection'
            cand --between 'Begin files between two times of the day only, such as 22:00-06:00'
            cand --at-most 'Begin an audit only while fewer than N are under way, and wait for that'
            cand --only 'Only files with findings of these verdicts, separated by commas'
            cand --evidence 'Record what a provider says of the files, and read nothing'
            cand --by 'Take what a run of Spark has read, and read nothing here but what differs'
            cand --strip-prefix 'Take PREFIX from the beginning of the names in RUN: its nodes saw the tree of the collection there'
            cand --from 'Read from the `device`, past the page cache, or from `any` place, in this run'
            cand --reason 'Why, for the history'
            cand --format 'Output format: `text`, or `json`, one object per line'
            cand --stop 'End the audit of the collection NAME, whoever began it, and wait until it has ended'
            cand --set-rate 'Let the audit of the collection NAME read at most RATE bytes per second from now on, such as 20MB'
            cand --until 'End the pause at TIME: a time span such as 2h, a time of the day such as 22:00, or a date and time'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand --retries 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]'
            cand --retry-for 'Make a request that fails for the moment again for TIME, such as 10m'
            cand --due 'Read what is due under the promise, although a collection is named'
            cand --dry-run 'Only count what would be read'
            cand --resume-held 'Go on with an audit that was held'
            cand --discard-held 'Drop all that a held audit held back, and audit nothing'
            cand -q 'Print nothing but new findings'
            cand --quiet 'Print nothing but new findings'
            cand -v 'Print findings that were reported before, and files that were accepted, too'
            cand --verbose 'Print findings that were reported before, and files that were accepted, too'
            cand --pause-all 'Audit nothing until --resume-all, or until --until: end what is under way, and begin nothing'
            cand --resume-all 'End the pause'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;status'= {
            cand --audited-within 'Code 32 where no audit has judged a collection for longer than TIME, such as 2d'
            cand --format 'Output format: `text`, a table, or `json`, an object'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --check 'Set the exit code by what stands against them'
            cand --follow 'Show how far audits are until none is under way, and then the status'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;history'= {
            cand --format 'Output format: `text` or `json`, an object'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;events'= {
            cand --after 'Only events with numbers above N'
            cand --before 'Only events with numbers below N'
            cand --kind 'Only events of these kinds'
            cand --actor 'Only what ACTOR did or asked for'
            cand --path 'Only events of this file, or of files in this directory: a path below the root of the collection, or an absolute one. A file that was moved is told of under its new path'
            cand --since 'Only those since TIME: a date, a time, or an age such as 30d'
            cand -n 'At most N events'
            cand --limit 'At most N events'
            cand --format 'Output format: `text`, `json`, a line for each, or `csv`'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --reverse 'The last event first'
            cand -f 'List what there is, then each event as it happens, until interrupted or --limit is reached'
            cand --follow 'List what there is, then each event as it happens, until interrupted or --limit is reached'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;accept'= {
            cand --verdict 'Findings of these verdicts, separated by commas'
            cand --reason 'Why, for the history'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand --dry-run 'Only show what would be done'
            cand --all-gone 'Accept that all files are gone: the tree was emptied on purpose'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;acknowledge'= {
            cand --verdict 'Findings of these verdicts, separated by commas'
            cand --reason 'Why, for the history'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand --until 'For how long, such as 14d [default: until the file changes]'
            cand --dry-run 'Only show what would be done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;catalog'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand verify 'Check that the catalogue is whole'
            cand backup 'Copy the catalogue to a file, while it is in use'
            cand restore 'Put a backup in the place of the catalogue'
            cand compact 'Give back the room of what is gone, and bring the file into order'
            cand seals 'List the seals of runs, the latest first'
            cand changes 'List what was changed, by whom, when and why: the earliest first'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;catalog;verify'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --quick 'Neither compare the indexes with the rows nor compute the seals'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;catalog;backup'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;catalog;restore'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;catalog;compact'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;catalog;seals'= {
            cand -n 'Only the last N'
            cand --last 'Only the last N'
            cand --format 'Output format: `text`, a table, or `json`, an array'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;catalog;changes'= {
            cand --since 'Only those since TIME: a date, a time, or an age such as 30d'
            cand --format 'Output format: `text`, a table, `json`, a line for each, or `csv`'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;catalog;help'= {
            cand verify 'Check that the catalogue is whole'
            cand backup 'Copy the catalogue to a file, while it is in use'
            cand restore 'Put a backup in the place of the catalogue'
            cand compact 'Give back the room of what is gone, and bring the file into order'
            cand seals 'List the seals of runs, the latest first'
            cand changes 'List what was changed, by whom, when and why: the earliest first'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;catalog;help;verify'= {
        }
        &'hashlane;catalog;help;backup'= {
        }
        &'hashlane;catalog;help;restore'= {
        }
        &'hashlane;catalog;help;compact'= {
        }
        &'hashlane;catalog;help;seals'= {
        }
        &'hashlane;catalog;help;changes'= {
        }
        &'hashlane;catalog;help;help'= {
        }
        &'hashlane;tell'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand run 'Tell what is new, and deliver what waits'
            cand list 'List the last messages, the latest first: to whom, about what, and what has become of them'
            cand test 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile'
            cand retry 'Deliver all that was not delivered, now: what waits, and what was given up'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;tell;run'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;tell;list'= {
            cand -n 'At most N messages'
            cand --limit 'At most N messages'
            cand --format 'Output format: `text`, a table, or `json`, one object per line'
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;tell;test'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;tell;retry'= {
            cand --catalog 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]'
            cand --backups 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;tell;help'= {
            cand run 'Tell what is new, and deliver what waits'
            cand list 'List the last messages, the latest first: to whom, about what, and what has become of them'
            cand test 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile'
            cand retry 'Deliver all that was not delivered, now: what waits, and what was given up'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;tell;help;run'= {
        }
        &'hashlane;tell;help;list'= {
        }
        &'hashlane;tell;help;test'= {
        }
        &'hashlane;tell;help;retry'= {
        }
        &'hashlane;tell;help;help'= {
        }
        &'hashlane;config'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand check 'Check a configuration, and whether its secrets can be read'
            cand show 'Show what a configuration says, without anything that may be a secret'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;config;check'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;config;show'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;config;help'= {
            cand check 'Check a configuration, and whether its secrets can be read'
            cand show 'Show what a configuration says, without anything that may be a secret'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;config;help;check'= {
        }
        &'hashlane;config;help;show'= {
        }
        &'hashlane;config;help;help'= {
        }
        &'hashlane;known'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand build 'Build an index from sets of known contents'
            cand info 'Show what an index contains'
            cand lookup 'Look up digests in an index'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;known;build'= {
            cand -o 'The index to write, which appears only when complete'
            cand --output 'The index to write, which appears only when complete'
            cand -a 'Algorithms to index, separated by commas [default: all that the sets have, except checksums]'
            cand --algorithm 'Algorithms to index, separated by commas [default: all that the sets have, except checksums]'
            cand --memory 'Memory for sorting; beyond it, a temporary file is used'
            cand --manifest-format 'Format of the manifests [default: detected]'
            cand --names 'Keep the names, for --show-matched-by and --unseen'
            cand -z 'Lines of the manifests end with NUL, and nothing is escaped'
            cand --zero 'Lines of the manifests end with NUL, and nothing is escaped'
            cand -q 'Do not print the summary'
            cand --quiet 'Do not print the summary'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;known;info'= {
            cand --format 'Output format'
            cand --verify 'Read the whole index, and verify every checksum and the order'
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
            cand info 'Show what an index contains'
            cand lookup 'Look up digests in an index'
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
            cand create 'Turn a directory into a bag, in place'
            cand validate 'Verify a bag: its structure, its completeness and every digest in it'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bag;create'= {
            cand -a 'Algorithms, separated by commas [default: sha256,sha512]'
            cand --algorithm 'Algorithms, separated by commas [default: sha256,sha512]'
            cand --info 'Add an element to bag-info.txt; may be repeated'
            cand --bagit-version 'BagIt version: 1.0 is RFC 8493; 0.97 does not escape percent signs in names'
            cand --data 'What to do with an existing DIR/data: keep it as the payload, or move it like everything else'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --keep-empty 'Put an empty `.keep` file into each empty directory, because a bag lists files only'
            cand --undo 'Put back what an interrupted run moved, without making a bag'
            cand -q 'Do not print the summary'
            cand --quiet 'Do not print the summary'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bag;validate'= {
            cand --format 'Output format: lines of text, or one JSON object per line'
            cand -o 'Write results to FILE, which appears only when complete'
            cand --output 'Write results to FILE, which appears only when complete'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --quick 'Compare names and Payload-Oxum only, without computing digests: this is not a validation'
            cand --fail-fast 'Stop at the first error'
            cand -q 'Print failures only'
            cand --quiet 'Print failures only'
            cand --status 'Print nothing; the exit code is the result'
            cand --silent 'Print nothing; the exit code is the result'
            cand -v 'Print the expected and the computed digest of each mismatch'
            cand --verbose 'Print the expected and the computed digest of each mismatch'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;bag;help'= {
            cand create 'Turn a directory into a bag, in place'
            cand validate 'Verify a bag: its structure, its completeness and every digest in it'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;bag;help;create'= {
        }
        &'hashlane;bag;help;validate'= {
        }
        &'hashlane;bag;help;help'= {
        }
        &'hashlane;mhl'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand create 'Read all files of a directory and record them in a new generation'
            cand verify 'Compare a directory with all generations of its history'
            cand info 'Show the generations of a history'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;mhl;create'= {
            cand -a 'Algorithms, separated by commas: md5, sha1, xxh64, xxh3, xxh128, c4'
            cand --algorithm 'Algorithms, separated by commas: md5, sha1, xxh64, xxh3, xxh128, c4'
            cand --ignore 'Also ignore what PATTERN matches, in gitignore syntax; may be repeated. The history keeps it'
            cand -j 'Cores to use [default: all that this process may use]'
            cand --jobs 'Cores to use [default: all that this process may use]'
            cand --engine 'Read engine'
            cand --max-rate 'Read at most RATE bytes per second, such as 100MB or 64MiB'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand -n 'Record no digests of directories'
            cand --no-directory-hashes 'Record no digests of directories'
            cand --detect-renaming 'Look for missing files among the new ones'
            cand -q 'Print failures only'
            cand --quiet 'Print failures only'
            cand --no-profile 'Ignore the profile that `hashlane tune` saved for the device'
            cand --drop-behind 'Leave no files in the page cache that were not in it before'
            cand --no-drop-behind 'Leave the page cache to the system'
            cand --from-medium 'Read every byte from its device, bypassing the page cache, or fail the file'
            cand --nice-io 'Read only when no other program does (the idle I/O priority class)'
            cand --calibrate 'Use the backends that were measured as fastest on this CPU: the default'
            cand --no-calibrate 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;mhl;verify'= {
            cand -q 'Print failures only'
            cand --quiet 'Print failures only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;mhl;info'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;mhl;help'= {
            cand create 'Read all files of a directory and record them in a new generation'
            cand verify 'Compare a directory with all generations of its history'
            cand info 'Show the generations of a history'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;mhl;help;create'= {
        }
        &'hashlane;mhl;help;verify'= {
        }
        &'hashlane;mhl;help;info'= {
        }
        &'hashlane;mhl;help;help'= {
        }
        &'hashlane;backends'= {
            cand -a 'Algorithms, separated by commas [default: all that have more than one backend]'
            cand --algorithm 'Algorithms, separated by commas [default: all that have more than one backend]'
            cand --budget 'Time to spend on measuring, such as 90s or 5m'
            cand --backend 'Backend that computes digests [default: the fastest]'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --format 'Output format: `text`, a table, or `json`, one object per line'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --no-save 'Do not save the results'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;tune'= {
            cand --budget 'Time to spend on measuring, such as 90s or 5m'
            cand --seed 'Seed for file contents and the order of the measurements'
            cand --cache 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]'
            cand --progress 'Show progress: `auto` on a terminal, `json` as lines on standard error'
            cand --drop-caches 'Drop cached names and inodes of all files before each cold reading of small ones'
            cand --json 'Print the profile as it is saved, with every sample, instead of tables'
            cand --no-save 'Do not save the profile'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;as'= {
            cand --list 'List the programs'
            cand --as-is 'Reproduce old quirks that scripts may depend on; must come before NAME'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'hashlane;install-links'= {
            cand --force 'Replace other files of these names, but not directories'
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
            cand report 'Show a saved run, make its page, or export its figures'
            cand compare 'Compare runs and machines, cell by cell'
            cand sum 'Print the digests of files and trees'
            cand check 'Verify that files still have the digests that a manifest lists'
            cand diff 'Report what differs between two manifests, two trees, or one of each'
            cand convert 'Convert a manifest to another format'
            cand merge 'Join the manifests of shards into one'
            cand formats 'List the manifest formats: how each is detected, and what it stores'
            cand collection 'Register trees of files that are audited over time'
            cand audit 'Audit collections: what is missing, changed, corrupt or new?'
            cand status 'Show how the collections are: one sentence, and a row for each'
            cand history 'Show what is known of a file, and what happened to it'
            cand events 'List what happened, in one order, and follow it'
            cand accept 'Accept files as they are now'
            cand acknowledge 'Say that a finding is known, so that it alarms nobody'
            cand catalog 'Check, copy and compact the catalogue, and list its seals and what was changed'
            cand tell 'Tell people what audits find, as the configuration says'
            cand config 'Check or show the configuration'
            cand known 'Index sets of known contents, and look up digests'
            cand bag 'Make bags (BagIt, RFC 8493) and verify them'
            cand mhl 'Make, verify and show histories of media (ASC MHL 2.0)'
            cand backends 'Measure how fast each backend of this CPU computes each algorithm'
            cand tune 'Measure how best to read the device of PATH, and save that for sum and check'
            cand as 'Act as an older program, with the same options, output and exit codes'
            cand install-links 'Make links to this program under the names of the older programs'
            cand generate 'Write man pages or completions into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'hashlane;help;bench'= {
            cand io 'Measure how this machine reads and writes files: block sizes, system calls and threads'
            cand pipeline 'Measure reading and digesting, alone and together, by block size and by reading thread'
            cand machine 'Measure programs on copies of a dictionary, and compare this engine with them'
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
        &'hashlane;help;merge'= {
        }
        &'hashlane;help;formats'= {
        }
        &'hashlane;help;collection'= {
            cand add 'Register a tree as a collection'
            cand list 'List the collections'
            cand show 'Show what a collection is, and how it is'
            cand set 'Change what a collection promises, and what belongs to it'
            cand rename 'Give a collection another name'
            cand relocate 'Say that the tree of a collection lies somewhere else now'
            cand remove 'Take a collection out of the list'
            cand restore 'Bring back a collection that was removed'
            cand purge 'Forget all that is known of a collection, for ever'
            cand import 'Register digests that come from elsewhere'
            cand export 'Write what is known of a collection as a manifest, in any format'
            cand report 'Report what stands against collections, what to do about it, and how audits went'
        }
        &'hashlane;help;collection;add'= {
        }
        &'hashlane;help;collection;list'= {
        }
        &'hashlane;help;collection;show'= {
        }
        &'hashlane;help;collection;set'= {
        }
        &'hashlane;help;collection;rename'= {
        }
        &'hashlane;help;collection;relocate'= {
        }
        &'hashlane;help;collection;remove'= {
        }
        &'hashlane;help;collection;restore'= {
        }
        &'hashlane;help;collection;purge'= {
        }
        &'hashlane;help;collection;import'= {
        }
        &'hashlane;help;collection;export'= {
        }
        &'hashlane;help;collection;report'= {
        }
        &'hashlane;help;audit'= {
        }
        &'hashlane;help;status'= {
        }
        &'hashlane;help;history'= {
        }
        &'hashlane;help;events'= {
        }
        &'hashlane;help;accept'= {
        }
        &'hashlane;help;acknowledge'= {
        }
        &'hashlane;help;catalog'= {
            cand verify 'Check that the catalogue is whole'
            cand backup 'Copy the catalogue to a file, while it is in use'
            cand restore 'Put a backup in the place of the catalogue'
            cand compact 'Give back the room of what is gone, and bring the file into order'
            cand seals 'List the seals of runs, the latest first'
            cand changes 'List what was changed, by whom, when and why: the earliest first'
        }
        &'hashlane;help;catalog;verify'= {
        }
        &'hashlane;help;catalog;backup'= {
        }
        &'hashlane;help;catalog;restore'= {
        }
        &'hashlane;help;catalog;compact'= {
        }
        &'hashlane;help;catalog;seals'= {
        }
        &'hashlane;help;catalog;changes'= {
        }
        &'hashlane;help;tell'= {
            cand run 'Tell what is new, and deliver what waits'
            cand list 'List the last messages, the latest first: to whom, about what, and what has become of them'
            cand test 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile'
            cand retry 'Deliver all that was not delivered, now: what waits, and what was given up'
        }
        &'hashlane;help;tell;run'= {
        }
        &'hashlane;help;tell;list'= {
        }
        &'hashlane;help;tell;test'= {
        }
        &'hashlane;help;tell;retry'= {
        }
        &'hashlane;help;config'= {
            cand check 'Check a configuration, and whether its secrets can be read'
            cand show 'Show what a configuration says, without anything that may be a secret'
        }
        &'hashlane;help;config;check'= {
        }
        &'hashlane;help;config;show'= {
        }
        &'hashlane;help;known'= {
            cand build 'Build an index from sets of known contents'
            cand info 'Show what an index contains'
            cand lookup 'Look up digests in an index'
        }
        &'hashlane;help;known;build'= {
        }
        &'hashlane;help;known;info'= {
        }
        &'hashlane;help;known;lookup'= {
        }
        &'hashlane;help;bag'= {
            cand create 'Turn a directory into a bag, in place'
            cand validate 'Verify a bag: its structure, its completeness and every digest in it'
        }
        &'hashlane;help;bag;create'= {
        }
        &'hashlane;help;bag;validate'= {
        }
        &'hashlane;help;mhl'= {
            cand create 'Read all files of a directory and record them in a new generation'
            cand verify 'Compare a directory with all generations of its history'
            cand info 'Show the generations of a history'
        }
        &'hashlane;help;mhl;create'= {
        }
        &'hashlane;help;mhl;verify'= {
        }
        &'hashlane;help;mhl;info'= {
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
