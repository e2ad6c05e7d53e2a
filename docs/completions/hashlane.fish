# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_hashlane_global_optspecs
    string join \n h/help V/version
end

function __fish_hashlane_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_hashlane_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_hashlane_using_subcommand
    set -l cmd (__fish_hashlane_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c hashlane -n "__fish_hashlane_needs_command" -s h -l help -d 'Print help'
complete -c hashlane -n "__fish_hashlane_needs_command" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "bench" -d 'Measure how fast this machine reads, writes and digests'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "report" -d 'Show a saved run, make its page, or export its figures'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "compare" -d 'Compare runs and machines, cell by cell'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "sum" -d 'Print the digests of files and trees'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "check" -d 'Verify that files still have the digests that a manifest lists'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "diff" -d 'Report what differs between two manifests, two trees, or one of each'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "convert" -d 'Convert a manifest to another format'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "merge" -d 'Join the manifests of shards into one'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "formats" -d 'List the manifest formats: how each is detected, and what it stores'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "collection" -d 'Register trees of files that are audited over time'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "audit" -d 'Audit collections: what is missing, changed, corrupt or new?'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "status" -d 'Show how the collections are: one sentence, and a row for each'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "history" -d 'Show what is known of a file, and what happened to it'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "events" -d 'List what happened, in one order, and follow it'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "accept" -d 'Accept files as they are now'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "acknowledge" -d 'Say that a finding is known, so that it alarms nobody'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "catalog" -d 'Check, copy and compact the catalogue, and list its seals and what was changed'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "tell" -d 'Tell people what audits find, as the configuration says'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "config" -d 'Check or show the configuration'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "known" -d 'Index sets of known contents, and look up digests'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "bag" -d 'Make bags (BagIt, RFC 8493) and verify them'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "mhl" -d 'Make, verify and show histories of media (ASC MHL 2.0)'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "backends" -d 'Measure how fast each backend of this CPU computes each algorithm'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "tune" -d 'Measure how best to read the device of PATH, and save that for sum and check'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "as" -d 'Act as an older program, with the same options, output and exit codes'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "install-links" -d 'Make links to this program under the names of the older programs'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "generate" -d 'Write man pages or completions into a directory'
complete -c hashlane -n "__fish_hashlane_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l path -l dir -d 'Directory for the test files, on the disk to be measured' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l budget -d 'Time to spend on measuring, such as 90s or 5m [default: 60s; with --quick: 9s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l seed -d 'Seed for file contents and the order of the cells' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l name -l run-name -d 'Name of the run, which the run file stores and `report` and `compare` show' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l runs -d 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -s o -l output -d 'Write the run to FILE, and the page beside it' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l quick -d 'Take ten seconds: smaller files, shorter samples, wider intervals'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l no-host-name -d 'Leave the name of this host out of the run file and the page'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l wide -d 'Show all columns; by default lines are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l json -d 'Print the run as JSON, with every sample, instead of tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l plot -d 'Print bars below the tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l no-save -d 'Do not save the run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l open -d 'Open the page in a browser'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -f -a "io" -d 'Measure how this machine reads and writes files: block sizes, system calls and threads'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -f -a "pipeline" -d 'Measure reading and digesting, alone and together, by block size and by reading thread'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -f -a "machine" -d 'Measure programs on copies of a dictionary, and compare this engine with them'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -f -a "speed" -d 'Measure digests of messages in memory, by algorithm and message size'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -f -a "variant" -d 'Compare programs or builds with each other'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and not __fish_seen_subcommand_from io pipeline machine speed variant help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -s w -l write -d 'Write FILE once, as COUNT blocks of BLOCK bytes, until it is on the device; it is kept' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -s r -l read -d 'Read COUNT blocks of BLOCK bytes of FILE, or `all`, again and again, with the XOR of their words' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l reasonable -d 'Find the size of a file that takes 5 to 15 seconds to read in blocks of BLOCK bytes' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l block -d 'Block sizes for reading, separated by commas, such as 512,4KiB,1MiB [default: ten from 512 to 16MiB]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l drop -d 'Drop kernel caches of the whole machine before each cold sample: 1 the page cache, 2 names and inodes, 3 both; needs root' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l dir -l path -d 'Directory for the files, on the disk to be measured' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l name -l run-name -d 'Name of the run, which the run file stores and `report` and `compare` show' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l budget -d 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l seed -d 'Seed for contents and the order of the cells' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l runs -d 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -s o -l output -d 'Write the run to FILE, and the page beside it' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l i-know -d 'Read a FILE that is a device, or overwrite an existing FILE'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l quick -d 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l as-published -d 'Measure what the original study measured, with its sizes and numbers'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l classic -d 'Print the tables of the original study instead of ours'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l no-host-name -d 'Leave the name of this host out of the run file and the page'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l wide -d 'Show all columns; by default lines are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l json -d 'Print the run as JSON, with every sample, instead of tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l plot -d 'Print bars below the tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l no-save -d 'Do not save the run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l open -d 'Open the page in a browser'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from io" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -s a -l algorithm -d 'Algorithms, separated by commas [default: sha256]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l block -d 'Block sizes, separated by commas [default: 4096,8192,10000,1MiB; with --quick: 8KiB,1MiB]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l model -d 'What reads, separated by commas: the thread that digests, a separate thread, or a read engine [default: all]' -r -f -a "serial\t''
pipelined\t''
buffered\t''
mmap\t''
direct\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l buffers -d 'Number of blocks between reading and digesting' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l cache-state -d 'Read files that are in the page cache, files that are not, or both' -r -f -a "both\t''
warm\t''
cold\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l files -d 'Number of files to make [default: 8; with --quick: 2]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l file-size -d 'Size of each file [default: 8MB; with --quick: 3MB]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l most -d 'Total bytes to read below DIR; files are taken in order of name, and one that would exceed this is skipped' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l dir -l path -d 'Directory for the files, on the disk or in the memory that they are read from' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l name -l run-name -d 'Name of the run, which the run file stores and `report` and `compare` show' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l budget -d 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l seed -d 'Seed for contents and the order of the cells' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l runs -d 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -s o -l output -d 'Write the run to FILE, and the page beside it' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l quick -d 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l as-published -d 'Measure what the original study measured, with its sizes and numbers'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l classic -d 'Print the tables of the original study instead of ours'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l no-host-name -d 'Leave the name of this host out of the run file and the page'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l wide -d 'Show all columns; by default lines are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l json -d 'Print the run as JSON, with every sample, instead of tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l plot -d 'Print bars below the tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l no-save -d 'Do not save the run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l open -d 'Open the page in a browser'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from pipeline" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l programs -d 'Programs, separated by commas [default: all five]' -r -f -a "b2sum\t''
sha1sum\t''
sha256sum\t''
sha512sum\t''
dd\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l mode -d 'What to measure: programs, this engine in one process, or both' -r -f -a "both\t''
programs\t''
in-process\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l corpus -d 'What inputs are made of: `dictionary`, which is /usr/share/dict/american-english, or `word-list` if that does not exist; `word-list`, which is the same on every machine; `random`; or a FILE' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l copies -d 'Copies in each input, separated by commas [default: 1,32; with --quick: 1,16; as published: 1,512]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l iterations -d 'Effective iterations, counting all copies [default: 32,64,128; with --quick: 16,32; as published: 1Kib,5Kib,10Kib,15Kib]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l sink -d 'Where the output of the programs goes; dd writes all that it reads' -r -f -a "null\t''
file\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l dd-block -d 'Block size of dd [default: 32KiB, as in the other programs; as published: the default of dd]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l sysperf-dir -d 'Write files of sysperf, which name this host, into DIR; measurements are added to existing ones' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l dir -l path -d 'Directory for the inputs, on the disk or in the memory that they are read from' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l name -l run-name -d 'Name of the run, which the run file stores and `report` and `compare` show' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l budget -d 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l seed -d 'Seed for contents and the order of the cells' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l runs -d 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -s o -l output -d 'Write the run to FILE, and the page beside it' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l quick -d 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l as-published -d 'Measure what the original study measured, with its sizes and numbers'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l classic -d 'Print the tables of the original study instead of ours'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l no-host-name -d 'Leave the name of this host out of the run file and the page'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l wide -d 'Show all columns; by default lines are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l json -d 'Print the run as JSON, with every sample, instead of tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l plot -d 'Print bars below the tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l no-save -d 'Do not save the run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l open -d 'Open the page in a browser'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from machine" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -s a -l algorithm -d 'Algorithms, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l size -d 'Message sizes, separated by commas, such as 64,10kB,1MiB [default: nine from 16 to 16MiB]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l threads -d 'Numbers of threads, separated by commas; a number above that of cores counts as all cores [default: 1 and all]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l plugin -d 'Also measure `void test_NAME(char *buf, int size)` of the shared library FILE, on one thread' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l form -d 'Messages one after the other, side by side in lanes, or both' -r -f -a "both\t''
single\t''
lanes\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l name -l run-name -d 'Name of the run, which the run file stores and `report` and `compare` show' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l budget -d 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l seed -d 'Seed for contents and the order of the cells' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l runs -d 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -s o -l output -d 'Write the run to FILE, and the page beside it' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l quick -d 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l as-published -d 'Measure what the original study measured, with its sizes and numbers'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l classic -d 'Print the tables of the original study instead of ours'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l no-host-name -d 'Leave the name of this host out of the run file and the page'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l wide -d 'Show all columns; by default lines are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l json -d 'Print the run as JSON, with every sample, instead of tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l plot -d 'Print bars below the tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l no-save -d 'Do not save the run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l open -d 'Open the page in a browser'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from speed" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l command -d 'Command to run as it is, without a file; once per command. Results are compared only with --result' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l name -d 'Name of a variant, once per command, in the same order [default: the command]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l setup -d 'Shell command to run before anything is timed, once per command, in the same order; may be empty' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l build-dir -d 'Directory in which a variant is set up and run, once per command, in the same order; may be empty' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l sizes -d 'File sizes, separated by commas [default: 10MB,100MB,1GB; with --quick: 1MB,10MB]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l result -d 'Where the result is in the output of a command: the first group of REGEX, or all of it' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l timeout -d 'Kill a run that takes longer than TIME' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l dir -l path -d 'Directory for the files, on the disk or in the memory that they are read from' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l run-name -d 'Name of the run, which the run file stores and `report` and `compare` show' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l budget -d 'Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study needs, less than 5m; with --quick: less than 30s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l seed -d 'Seed for contents and the order of the cells' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l runs -d 'Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -s o -l output -d 'Write the run to FILE, and the page beside it' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l shell -d 'Run each command by `sh -c`, so that pipes and variables work; the start of the shell is part of its time'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l ignore-failure -d 'Count a run also if the command fails'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l cold -d 'Drop the file from the page cache before each run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l no-result -d 'Do not compare results'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l quick -d 'Take less than half a minute: fewer cells, shorter samples, wider intervals'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l as-published -d 'Measure what the original study measured, with its sizes and numbers'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l classic -d 'Print the tables of the original study instead of ours'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l no-host-name -d 'Leave the name of this host out of the run file and the page'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l wide -d 'Show all columns; by default lines are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l json -d 'Print the run as JSON, with every sample, instead of tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l plot -d 'Print bars below the tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l no-save -d 'Do not save the run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l open -d 'Open the page in a browser'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from variant" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "io" -d 'Measure how this machine reads and writes files: block sizes, system calls and threads'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "pipeline" -d 'Measure reading and digesting, alone and together, by block size and by reading thread'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "machine" -d 'Measure programs on copies of a dictionary, and compare this engine with them'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "speed" -d 'Measure digests of messages in memory, by algorithm and message size'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "variant" -d 'Compare programs or builds with each other'
complete -c hashlane -n "__fish_hashlane_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand report" -l format -d 'Output format: tables, CSV rows, Prometheus gauges, Google Benchmark JSON, or the page [default: text; with --output: html]' -r -f -a "text\t''
html\t''
csv\t''
prometheus\t''
google-benchmark\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand report" -s o -l output -d 'Write to FILE instead of standard output' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand report" -l plot -d 'Print bars below the tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand report" -l wide -d 'Show all columns; by default lines are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand report" -l classic -d 'Print the tables of the original study instead of ours'
complete -c hashlane -n "__fish_hashlane_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand report" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand compare" -l reference -d 'The machine to compare with: the name of a run, a host, or a file [default: the first]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand compare" -l format -d 'Output format [default: by the extension of --output, else text]' -r -f -a "text\t'Tables for a terminal'
markdown\t'Tables for a document'
csv\t'One line per machine and cell'
json\t'Everything, for programs'
html\t'A self-contained page'"
complete -c hashlane -n "__fish_hashlane_using_subcommand compare" -s o -l output -d 'Write to FILE instead of standard output' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand compare" -l wide -d 'Show all columns; by default lines of text are at most 100 characters wide'
complete -c hashlane -n "__fish_hashlane_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand compare" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s a -l algorithm -d 'Algorithms, separated by commas [default: sha256]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l manifest-format -d 'Format of the manifest [default: gnu; with several algorithms: bsd]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
parquet\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l pieces -d 'Also digest each file in pieces of SIZE' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s o -l output -d 'Write to FILE, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l files0-out -d 'Write the names of the listed files to FILE, for `xargs -0`' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l files-from -d 'Read file names from FILE, one per line; `-` is standard input' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l files0-from -d 'Read NUL-terminated file names from FILE, as `find -print0` writes them' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l known -d 'Look up contents in FILE: an index of `hashlane known build`, or a manifest' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l known-digest -d 'Digest of a known content, as `sha256:HEX`; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l unseen -d 'Write known contents that were not found to FILE, one digest and name per line' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l update -d 'Bring MANIFEST up to date: read only what is new or has changed' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l trust -d 'With --update: what shows that a listed file is unchanged' -r -f -a "times\t'Size, mtime and inode are as listed, and ctime is before the listing. The header has the time of the listing: a run moves it only if everything listed was verified, and a time in the future is not trusted'
mtime\t'Size and mtime are as listed; for a tree that was copied with its times, and file systems whose inodes change'
names\t'The name is listed; for formats without times. Only new files are read'"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l type -d 'Types of files to read in directories' -r -f -a "file\t'Regular files'
fifo\t'FIFOs: reading waits until a program writes to each'
block\t'Block devices'
char\t'Character devices: many never end'"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l include -d 'Only files that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l exclude -d 'Skip files and directories that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l ignore-file -d 'Skip what the patterns in FILE match, in gitignore syntax' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l min-size -d 'Skip files smaller than SIZE, such as 100MB or 64KiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l max-size -d 'Skip files larger than SIZE' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l newer-than -d 'Skip files last modified before TIME, such as 2026-01-31 or 7d' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l older-than -d 'Skip files last modified at TIME or later' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l endpoint -d 'URL of the server of a store [default: what the environment names, else the provider\'s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l region -d 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l max-requests -d 'Make at most N requests of an object store' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l retries -d 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l retry-for -d 'Make a request that fails for the moment again for TIME, such as 10m' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l shard -d 'Read only part I of N of what is listed, for N machines that share the work' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l tag -d 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l base64 -d 'Write digests in base64, with or without --tag; short for --manifest-format base64'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s z -l zero -d 'End lines with NUL and escape nothing'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l header -d 'Begin with a header that states which run wrote the manifest, and of what'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-header -d 'Do not write a header, even if the format has one by default (hashdeep\'s own two lines are kept)'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l strict-hashdeep -d 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l match -d 'List only files whose content is known'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-match -d 'List only files whose content is not known'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l show-matched-by -d 'Print what each file matches instead of its digests: `PATH: matches NAME (SET)`'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l fail-on-change -d 'With --update: exit with 1 for added, 2 for gone, 4 for changed files; these add up, and a moved file counts as added and gone'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s r -l recursive -d 'Walk directories: the default; accepted for compatibility'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-recursive -d 'Refuse directories'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s x -l one-file-system -d 'Stay on the file system of the named directory'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s L -l follow -d 'Follow symbolic links; by default they are counted and skipped'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-links-once -d 'Read a file with several names (hard links) once for each name instead of once'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-sign-request -d 'Ask without credentials, for objects that everybody may read'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l requester-pays -d 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l versions -d 'Read all versions that a bucket of S3 keeps, not only the current ones'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l dry-run -d 'Only list the objects, and print how many bytes and requests it would take to read them'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s q -l quiet -d 'Do not print the summary line'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand sum" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s a -l algorithm -d 'The algorithm of a manifest that does not name it' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l manifest-format -d 'Format of the manifests [default: detected]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
name-first\t''
get-filehash\t''
certutil\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
internet-archive\t''
mtree\t''
parquet\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l base -d 'Resolve names relative to DIR, and refuse those that lead out of it' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l root -d 'Where --complete and --audit look for files; may be repeated' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l strip-prefix -d 'Remove PREFIX from the listed names' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l names -d 'How names are written in the list: `windows`, a code page such as `cp1252`, or both, separated by a comma' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l include -d 'Only files that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l exclude -d 'Skip files and directories that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l ignore-file -d 'Skip what the patterns in FILE match, in gitignore syntax' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l min-size -d 'Skip files smaller than SIZE, such as 100MB or 64KiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l max-size -d 'Skip files larger than SIZE' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l newer-than -d 'Skip files last modified before TIME, such as 2026-01-31 or 7d' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l older-than -d 'Skip files last modified at TIME or later' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l format -d 'Output format: `text` as in coreutils, `json` as one object per line' -r -f -a "text\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s o -l output -d 'Write results to FILE, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l memory -d 'With --audit: memory for the listed entries, such as 64MiB or 1GB; beyond it, temporary files are used and all verdicts come at the end' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l temporary-directory -d 'With --audit: directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l endpoint -d 'URL of the server of a store [default: what the environment names, else the provider\'s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l region -d 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l max-requests -d 'Make at most N requests of an object store' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l retries -d 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l retry-for -d 'Make a request that fails for the moment again for TIME, such as 10m' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s z -l zero -d 'Lines end with NUL, and nothing is escaped'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l pieces -d 'Treat names that end like ` offset 0-1023` as pieces of files'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l complete -d 'Also report files that exist but are not listed'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l names-only -d 'Compare names only, and read no file'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l audit -d 'Read all files and report what happened to each: changed, moved, copied, new, missing'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l beside -d 'Resolve names relative to the directory of their manifest'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l normalize -d 'Match names that differ only in Unicode normalization (NFC, NFD)'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l ignore-case -d 'Treat names that differ only in case as the same'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s x -l one-file-system -d 'With --complete or --audit: stay on the file system of the directory'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s L -l follow -d 'With --complete or --audit: follow symbolic links'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l ignore-missing -d 'Do not fail for missing files'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l strict -d 'Fail for every malformed line, even one that lists no file'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s w -l warn -d 'Warn about each malformed line'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l fail-fast -d 'Stop at the first file that fails'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s q -l quiet -d 'Print failures only, and no summary if there are none'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l status -l silent -d 'Print nothing; the exit code is the result'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s v -l verbose -d 'Print the expected and the computed digest of each mismatch'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l no-sign-request -d 'Ask without credentials, for objects that everybody may read'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l requester-pays -d 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l versions -d 'Read names that end with `?versionId=ID` as that version of an object of S3'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand check" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s a -l algorithm -d 'The algorithm of a manifest that does not name it, or of a comparison without manifests [default: sha256]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l manifest-format -d 'Format of the manifests [default: detected]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
name-first\t''
get-filehash\t''
certutil\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
internet-archive\t''
mtree\t''
parquet\t''
nsrl\t''
hashkeeper\t''
ilook\t''
encase\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l base -d 'The directory, or s3://BUCKET/PREFIX, that the names in the manifest are relative to' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l strip-prefix -d 'Remove PREFIX from the listed names of both manifests; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l include -d 'Only files that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l exclude -d 'Skip files and directories that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l ignore-file -d 'Skip what the patterns in FILE match, in gitignore syntax' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l min-size -d 'Skip files smaller than SIZE, such as 100MB or 64KiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l max-size -d 'Skip files larger than SIZE' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l newer-than -d 'Skip files last modified before TIME, such as 2026-01-31 or 7d' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l older-than -d 'Skip files last modified at TIME or later' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l format -d 'Output format' -r -f -a "text\t'One name and a word per line'
json\t'One object per line'
rsync\t'As `rsync -i` prints changes'
names\t'Only names that are new or differ in B, for `rsync --files-from`'"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s o -l output -d 'Write to FILE, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l memory -d 'Memory for sorting manifests that are not in order, such as 64MiB or 1GB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l temporary-directory -d 'Directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l endpoint -d 'URL of the server of a store [default: what the environment names, else the provider\'s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l region -d 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l max-requests -d 'Make at most N requests of an object store' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l retries -d 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l retry-for -d 'Make a request that fails for the moment again for TIME, such as 10m' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l from-zero -d 'Lines of the manifests end with NUL, and nothing is escaped'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l normalize -d 'Compare names of two directories in whatever Unicode normalization'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s L -l follow -d 'Follow symbolic links in the tree; by default they are counted and skipped'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s x -l one-file-system -d 'Stay on the file system of the tree\'s directory'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l strict -d 'Fail for every malformed line, even one that lists no file'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s w -l warn -d 'Warn about each malformed line, even one that lists no file'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s z -l zero -d 'End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s v -l verbose -d 'Print both sizes and digests of each difference'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s q -l quiet -d 'Do not print the summary'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l status -l silent -d 'Print nothing; the exit code is the result'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l no-sign-request -d 'Ask without credentials, for objects that everybody may read'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l requester-pays -d 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand diff" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -s a -l algorithm -d 'Algorithms to copy [default: all that the first entry has]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l add -d 'Read the files, verify their listed digests, and add digests of NAME' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l base -d 'With --add: resolve names relative to DIR, and refuse those that lead out of it' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l from -d 'Format of IN [default: detected]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
name-first\t''
get-filehash\t''
certutil\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
internet-archive\t''
mtree\t''
parquet\t''
nsrl\t''
hashkeeper\t''
ilook\t''
encase\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l from-algorithm -d 'The algorithm of IN, if IN does not name it [default: the one that is copied]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l manifest-format -d 'Format of the manifest [default: gnu; with several algorithms: bsd]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
parquet\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l from-zero -d 'Lines of IN end with NUL, and nothing is escaped'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l force -d 'Replace OUT if it exists'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l tag -d 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l base64 -d 'Write digests in base64, with or without --tag; short for --manifest-format base64'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -s z -l zero -d 'End lines with NUL and escape nothing'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l header -d 'Begin with a header that states which run wrote the manifest, and of what'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l no-header -d 'Do not write a header, even if the format has one by default (hashdeep\'s own two lines are kept)'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l strict-hashdeep -d 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -s q -l quiet -d 'Do not print the summary'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand convert" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -s o -l output -d 'Write to FILE, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -l manifest-format -d 'Format of the manifest [default: gnu; with several algorithms: bsd]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
parquet\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -l tag -d 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -l base64 -d 'Write digests in base64, with or without --tag; short for --manifest-format base64'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -s z -l zero -d 'End lines with NUL and escape nothing'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -l header -d 'Begin with a header that states which run wrote the manifest, and of what'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -l no-header -d 'Do not write a header, even if the format has one by default (hashdeep\'s own two lines are kept)'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -l strict-hashdeep -d 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -s q -l quiet -d 'Do not print the summary'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand merge" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand formats" -l format -d 'Output format' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand formats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand formats" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "add" -d 'Register a tree as a collection'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "list" -d 'List the collections'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "show" -d 'Show what a collection is, and how it is'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "set" -d 'Change what a collection promises, and what belongs to it'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "rename" -d 'Give a collection another name'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "relocate" -d 'Say that the tree of a collection lies somewhere else now'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "remove" -d 'Take a collection out of the list'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "restore" -d 'Bring back a collection that was removed'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "purge" -d 'Forget all that is known of a collection, for ever'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "import" -d 'Register digests that come from elsewhere'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "export" -d 'Write what is known of a collection as a manifest, in any format'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "report" -d 'Report what stands against collections, what to do about it, and how audits went'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and not __fish_seen_subcommand_from add list show set rename relocate remove restore purge import export report help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l every -d 'Promise that every byte is read again within TIME, such as 30d; `never` promises nothing [default: 90d, for objects never]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -s a -l algorithm -d 'Algorithms, separated by commas; they cannot be changed later' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l policy -d 'What may change: `living`, `growing` (the default) or `frozen`; with `:GLOB` for the files that match; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l group -d 'The group that it is listed in' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l tag -d 'What else it is called; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l include -d 'Only files that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l exclude -d 'Not files and directories that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l append-only -d 'Files that match GLOB may grow, as long as they begin as before; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l hold-files -d 'Hold an audit where more files than N are lost or changed' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l hold-percent -d 'Hold an audit where more than P in a hundred files are lost or changed, whatever the policy; by default 1, of those that are lost' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l from -d 'Which readings keep the promise: those of the `device` alone, or `any`' -r -f -a "device\t'The device, past the page cache, where that can be'
any\t'The device or the page cache, whichever is faster'"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l endpoint -d 'URL of the server of a store [default: what the environment names, else the provider\'s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l region -d 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l frozen -d 'The same as `--policy frozen`: new and changed files are findings, until somebody accepts them'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l living -d 'The same as `--policy living`: new and changed files are accepted and counted'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l marker -d 'Write a file into the root of the tree by which it is known again'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -s x -l one-file-system -d 'Stay on the file system of DIR'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l removable -d 'The tree may be away, as an unplugged disk is: that alone is no fault'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l no-removable -d 'The tree is to be there, also where it lies on a removable disk'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l allow-empty -d 'The tree may have no files when it is first audited'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l no-sign-request -d 'Ask without credentials, for objects that everybody may read'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -l requester-pays -d 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from add" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from list" -l format -d 'Output format: `text`, a table, or `json`, an array' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from list" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from list" -l removed -d 'List those that were removed'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from show" -l format -d 'Output format: `text` or `json`, an object' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from show" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l every -d 'Promise that every byte is read again within TIME, such as 30d; `never` promises nothing' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l policy -d 'What may change: `living`, `growing` or `frozen`; with `:GLOB` for the files that match; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l group -d 'The group that it is listed in' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l tag -d 'What else it is called; may be repeated. An empty TAG (\'\') stands for none' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l include -d 'Only files that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l exclude -d 'Not files and directories that match GLOB; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l append-only -d 'Files that match GLOB may grow, as long as they begin as before; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l hold-files -d 'Hold an audit where more files than N are lost or changed' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l hold-percent -d 'Hold an audit where more than P in a hundred files are lost or changed, whatever the policy' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l from -d 'Which readings keep the promise: those of the `device` alone, or `any`' -r -f -a "device\t'The device, past the page cache, where that can be'
any\t'The device or the page cache, whichever is faster'"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l no-promise -d 'The same as `--every never`'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l frozen -d 'The same as `--policy frozen`: new and changed files are findings, until somebody accepts them'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l living -d 'The same as `--policy living`: new and changed files are accepted and counted'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l yes -d 'A filter that leaves out more than a tenth of the known files is meant; or it is the right tree for --marker'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l removable -d 'The tree may be away, as an unplugged disk is: that alone is no fault'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l no-removable -d 'The tree is to be there, also where it lies on a removable disk'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l allow-empty -d 'The tree may have no files when it is first audited'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l marker -d 'Write a file into the root of the tree by which it is known again'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -l no-marker -d 'Know the tree by its file system and the inode of its root, and not by a marker'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from set" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from rename" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from rename" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from rename" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -l endpoint -d 'URL of the server of a store [default: what the environment names, else the provider\'s]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -l region -d 'Region of buckets of S3 [default: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -l no-sign-request -d 'Ask without credentials, for objects that everybody may read'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -l requester-pays -d 'Agree to pay for requests and transfer where the owner of a bucket of S3 asks for that'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from relocate" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from remove" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from remove" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from remove" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from restore" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from restore" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from restore" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from purge" -l removed-at -d 'The one that was removed at TIME, as `collection list --removed` shows it, where several have had the name' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from purge" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from purge" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from purge" -l force -d 'Yes, for ever'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from purge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from purge" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -l strip-prefix -d 'Take PREFIX from the beginning of the listed names' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -l manifest-format -d 'Format of the lists [default: detected]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
name-first\t''
get-filehash\t''
certutil\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
internet-archive\t''
mtree\t''
parquet\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -l reason -d 'Why, for the history' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -s z -l zero -d 'Lines of the lists end with NUL, and nothing is escaped'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from import" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -s o -l output -d 'Write to FILE, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l format -d 'Write a list for a provider instead: `s3-batch`, which S3 Batch Operations takes' -r -f -a "s3-batch\t'Bucket and key of each object, as S3 Batch Operations takes them'"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l manifest-format -d 'Format of the manifest [default: gnu; with several algorithms: bsd]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
parquet\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l tag -d 'Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l base64 -d 'Write digests in base64, with or without --tag; short for --manifest-format base64'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -s z -l zero -d 'End lines with NUL and escape nothing'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l header -d 'Begin with a header that states which run wrote the manifest, and of what'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l no-header -d 'Do not write a header, even if the format has one by default (hashdeep\'s own two lines are kept)'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -l strict-hashdeep -d 'With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from export" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from report" -l format -d 'Output format: `text`, `json`, an object, `csv`, a row for each finding, or `html`, a page' -r -f -a "text\t''
json\t''
csv\t''
html\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from report" -s o -l output -d 'Write to FILE, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from report" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from report" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from report" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "add" -d 'Register a tree as a collection'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the collections'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show what a collection is, and how it is'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "set" -d 'Change what a collection promises, and what belongs to it'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "rename" -d 'Give a collection another name'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "relocate" -d 'Say that the tree of a collection lies somewhere else now'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Take a collection out of the list'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "restore" -d 'Bring back a collection that was removed'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "purge" -d 'Forget all that is known of a collection, for ever'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "import" -d 'Register digests that come from elsewhere'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "export" -d 'Write what is known of a collection as a manifest, in any format'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "report" -d 'Report what stands against collections, what to do about it, and how audits went'
complete -c hashlane -n "__fish_hashlane_using_subcommand collection; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l for -d 'Begin no file after TIME, such as 2h' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l bytes -d 'Read at most SIZE, such as 500GB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l files -d 'Read at most N files' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l max-requests -d 'Make at most N requests of object stores, listings and repetitions included' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l percent -d 'Read at most P in a hundred of the bytes of each collection' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l between -d 'Begin files between two times of the day only, such as 22:00-06:00' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l at-most -d 'Begin an audit only while fewer than N are under way, and wait for that' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l only -d 'Only files with findings of these verdicts, separated by commas' -r -f -a "corrupt\t''
collision\t''
new\t''
changed\t''
touched\t''
moved\t''
copied\t''
missing\t''
unreadable\t''
unstable\t''
misread\t''
contradicted\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l evidence -d 'Record what a provider says of the files, and read nothing' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l by -d 'Take what a run of Spark has read, and read nothing here but what differs' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l strip-prefix -d 'Take PREFIX from the beginning of the names in RUN: its nodes saw the tree of the collection there' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l from -d 'Read from the `device`, past the page cache, or from `any` place, in this run' -r -f -a "device\t'The device, past the page cache, where that can be'
any\t'The device or the page cache, whichever is faster'"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l reason -d 'Why, for the history' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l format -d 'Output format: `text`, or `json`, one object per line' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l stop -d 'End the audit of the collection NAME, whoever began it, and wait until it has ended' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l set-rate -d 'Let the audit of the collection NAME read at most RATE bytes per second from now on, such as 20MB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l until -d 'End the pause at TIME: a time span such as 2h, a time of the day such as 22:00, or a date and time' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l retries -d 'Make a request that fails for the moment again, N times at most [default: 7 times, within some ten seconds]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l retry-for -d 'Make a request that fails for the moment again for TIME, such as 10m' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l due -d 'Read what is due under the promise, although a collection is named'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l dry-run -d 'Only count what would be read'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l resume-held -d 'Go on with an audit that was held'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l discard-held -d 'Drop all that a held audit held back, and audit nothing'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -s q -l quiet -d 'Print nothing but new findings'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -s v -l verbose -d 'Print findings that were reported before, and files that were accepted, too'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l pause-all -d 'Audit nothing until --resume-all, or until --until: end what is under way, and begin nothing'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l resume-all -d 'End the pause'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand audit" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -l audited-within -d 'Code 32 where no audit has judged a collection for longer than TIME, such as 2d' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -l format -d 'Output format: `text`, a table, or `json`, an object' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -l check -d 'Set the exit code by what stands against them'
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -l follow -d 'Show how far audits are until none is under way, and then the status'
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand status" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand history" -l format -d 'Output format: `text` or `json`, an object' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand history" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand history" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l after -d 'Only events with numbers above N' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l before -d 'Only events with numbers below N' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l kind -d 'Only events of these kinds' -r -f -a "finding\t''
recovered\t''
decision\t''
change\t''
run-begun\t''
run-ended\t''
held\t''
offline\t''
refused\t''
silent\t''
late\t''
edit\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l actor -d 'Only what ACTOR did or asked for' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l path -d 'Only events of this file, or of files in this directory: a path below the root of the collection, or an absolute one. A file that was moved is told of under its new path' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l since -d 'Only those since TIME: a date, a time, or an age such as 30d' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -s n -l limit -d 'At most N events' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l format -d 'Output format: `text`, `json`, a line for each, or `csv`' -r -f -a "text\t'For a terminal'
json\t'A line of JSON for each'
csv\t'Comma-separated values'"
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -l reverse -d 'The last event first'
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -s f -l follow -d 'List what there is, then each event as it happens, until interrupted or --limit is reached'
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand events" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -l verdict -d 'Findings of these verdicts, separated by commas' -r -f -a "corrupt\t''
collision\t''
new\t''
changed\t''
touched\t''
moved\t''
copied\t''
missing\t''
unreadable\t''
unstable\t''
misread\t''
contradicted\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -l reason -d 'Why, for the history' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -l dry-run -d 'Only show what would be done'
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -l all-gone -d 'Accept that all files are gone: the tree was emptied on purpose'
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand accept" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -l verdict -d 'Findings of these verdicts, separated by commas' -r -f -a "corrupt\t''
collision\t''
new\t''
changed\t''
touched\t''
moved\t''
copied\t''
missing\t''
unreadable\t''
unstable\t''
misread\t''
contradicted\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -l reason -d 'Why, for the history' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -l until -d 'For how long, such as 14d [default: until the file changes]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -l dry-run -d 'Only show what would be done'
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand acknowledge" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -f -a "verify" -d 'Check that the catalogue is whole'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -f -a "backup" -d 'Copy the catalogue to a file, while it is in use'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -f -a "restore" -d 'Put a backup in the place of the catalogue'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -f -a "compact" -d 'Give back the room of what is gone, and bring the file into order'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -f -a "seals" -d 'List the seals of runs, the latest first'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -f -a "changes" -d 'List what was changed, by whom, when and why: the earliest first'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and not __fish_seen_subcommand_from verify backup restore compact seals changes help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l quick -d 'Neither compare the indexes with the rows nor compute the seals'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from backup" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from backup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from backup" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from restore" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from restore" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from restore" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from compact" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from compact" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from compact" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from compact" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from seals" -s n -l last -d 'Only the last N' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from seals" -l format -d 'Output format: `text`, a table, or `json`, an array' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from seals" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from seals" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from seals" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from changes" -l since -d 'Only those since TIME: a date, a time, or an age such as 30d' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from changes" -l format -d 'Output format: `text`, a table, `json`, a line for each, or `csv`' -r -f -a "text\t'For a terminal'
json\t'A line of JSON for each'
csv\t'Comma-separated values'"
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from changes" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from changes" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from changes" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Check that the catalogue is whole'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "backup" -d 'Copy the catalogue to a file, while it is in use'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "restore" -d 'Put a backup in the place of the catalogue'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "compact" -d 'Give back the room of what is gone, and bring the file into order'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "seals" -d 'List the seals of runs, the latest first'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "changes" -d 'List what was changed, by whom, when and why: the earliest first'
complete -c hashlane -n "__fish_hashlane_using_subcommand catalog; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and not __fish_seen_subcommand_from run list test retry help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and not __fish_seen_subcommand_from run list test retry help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and not __fish_seen_subcommand_from run list test retry help" -f -a "run" -d 'Tell what is new, and deliver what waits'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and not __fish_seen_subcommand_from run list test retry help" -f -a "list" -d 'List the last messages, the latest first: to whom, about what, and what has become of them'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and not __fish_seen_subcommand_from run list test retry help" -f -a "test" -d 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and not __fish_seen_subcommand_from run list test retry help" -f -a "retry" -d 'Deliver all that was not delivered, now: what waits, and what was given up'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and not __fish_seen_subcommand_from run list test retry help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from run" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from run" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from run" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from list" -s n -l limit -d 'At most N messages' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from list" -l format -d 'Output format: `text`, a table, or `json`, one object per line' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from list" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from list" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from test" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from test" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from test" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from retry" -l catalog -d 'The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from retry" -l backups -d 'Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the catalogue]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from retry" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from retry" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from help" -f -a "run" -d 'Tell what is new, and deliver what waits'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the last messages, the latest first: to whom, about what, and what has become of them'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from help" -f -a "test" -d 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from help" -f -a "retry" -d 'Deliver all that was not delivered, now: what waits, and what was given up'
complete -c hashlane -n "__fish_hashlane_using_subcommand tell; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and not __fish_seen_subcommand_from check show help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and not __fish_seen_subcommand_from check show help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and not __fish_seen_subcommand_from check show help" -f -a "check" -d 'Check a configuration, and whether its secrets can be read'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and not __fish_seen_subcommand_from check show help" -f -a "show" -d 'Show what a configuration says, without anything that may be a secret'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and not __fish_seen_subcommand_from check show help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and __fish_seen_subcommand_from check" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check a configuration, and whether its secrets can be read'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show what a configuration says, without anything that may be a secret'
complete -c hashlane -n "__fish_hashlane_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and not __fish_seen_subcommand_from build info lookup help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and not __fish_seen_subcommand_from build info lookup help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and not __fish_seen_subcommand_from build info lookup help" -f -a "build" -d 'Build an index from sets of known contents'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and not __fish_seen_subcommand_from build info lookup help" -f -a "info" -d 'Show what an index contains'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and not __fish_seen_subcommand_from build info lookup help" -f -a "lookup" -d 'Look up digests in an index'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and not __fish_seen_subcommand_from build info lookup help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -s o -l output -d 'The index to write, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -s a -l algorithm -d 'Algorithms to index, separated by commas [default: all that the sets have, except checksums]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -l memory -d 'Memory for sorting; beyond it, a temporary file is used' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -l manifest-format -d 'Format of the manifests [default: detected]' -r -f -a "gnu\t''
bsd\t''
base64\t''
base64-untagged\t''
multihash\t''
ni\t''
sri\t''
hashdeep\t''
md5deep-sizes\t''
md5deep-csv\t''
triage\t''
sfv\t''
name-first\t''
get-filehash\t''
certutil\t''
checkm\t''
bagit\t''
ace\t''
jsonl\t''
csv\t''
dfxml\t''
mhl\t''
internet-archive\t''
mtree\t''
parquet\t''
nsrl\t''
hashkeeper\t''
ilook\t''
encase\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -l names -d 'Keep the names, for --show-matched-by and --unseen'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -s z -l zero -d 'Lines of the manifests end with NUL, and nothing is escaped'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -s q -l quiet -d 'Do not print the summary'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from build" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from info" -l format -d 'Output format' -r -f -a "text\t'A table for a terminal'
json\t'Everything, for programs'"
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from info" -l verify -d 'Read the whole index, and verify every checksum and the order'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from info" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from info" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from lookup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from lookup" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "build" -d 'Build an index from sets of known contents'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "info" -d 'Show what an index contains'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "lookup" -d 'Look up digests in an index'
complete -c hashlane -n "__fish_hashlane_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and not __fish_seen_subcommand_from create validate help" -s h -l help -d 'Print help'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and not __fish_seen_subcommand_from create validate help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and not __fish_seen_subcommand_from create validate help" -f -a "create" -d 'Turn a directory into a bag, in place'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and not __fish_seen_subcommand_from create validate help" -f -a "validate" -d 'Verify a bag: its structure, its completeness and every digest in it'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and not __fish_seen_subcommand_from create validate help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -s a -l algorithm -d 'Algorithms, separated by commas [default: sha256,sha512]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l info -d 'Add an element to bag-info.txt; may be repeated' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l bagit-version -d 'BagIt version: 1.0 is RFC 8493; 0.97 does not escape percent signs in names' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l data -d 'What to do with an existing DIR/data: keep it as the payload, or move it like everything else' -r -f -a "keep\t'It is the payload, and everything beside it is a tag file; nothing is moved'
move\t'It is part of the payload, as data/data'"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l keep-empty -d 'Put an empty `.keep` file into each empty directory, because a bag lists files only'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l undo -d 'Put back what an interrupted run moved, without making a bag'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -s q -l quiet -d 'Do not print the summary'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from create" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l format -d 'Output format: lines of text, or one JSON object per line' -r -f -a "text\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -s o -l output -d 'Write results to FILE, which appears only when complete' -r -F
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l quick -d 'Compare names and Payload-Oxum only, without computing digests: this is not a validation'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l fail-fast -d 'Stop at the first error'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -s q -l quiet -d 'Print failures only'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l status -l silent -d 'Print nothing; the exit code is the result'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -s v -l verbose -d 'Print the expected and the computed digest of each mismatch'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from validate" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from help" -f -a "create" -d 'Turn a directory into a bag, in place'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from help" -f -a "validate" -d 'Verify a bag: its structure, its completeness and every digest in it'
complete -c hashlane -n "__fish_hashlane_using_subcommand bag; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and not __fish_seen_subcommand_from create verify info help" -s h -l help -d 'Print help'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and not __fish_seen_subcommand_from create verify info help" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and not __fish_seen_subcommand_from create verify info help" -f -a "create" -d 'Read all files of a directory and record them in a new generation'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and not __fish_seen_subcommand_from create verify info help" -f -a "verify" -d 'Compare a directory with all generations of its history'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and not __fish_seen_subcommand_from create verify info help" -f -a "info" -d 'Show the generations of a history'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and not __fish_seen_subcommand_from create verify info help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -s a -l algorithm -d 'Algorithms, separated by commas: md5, sha1, xxh64, xxh3, xxh128, c4' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l ignore -d 'Also ignore what PATTERN matches, in gitignore syntax; may be repeated. The history keeps it' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -s j -l jobs -d 'Cores to use [default: all that this process may use]' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l engine -d 'Read engine' -r -f -a "auto\t''
buffered\t''
direct\t''
mmap\t''
uring\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l max-rate -d 'Read at most RATE bytes per second, such as 100MB or 64MiB' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -s n -l no-directory-hashes -d 'Record no digests of directories'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l detect-renaming -d 'Look for missing files among the new ones'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -s q -l quiet -d 'Print failures only'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l no-profile -d 'Ignore the profile that `hashlane tune` saved for the device'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l drop-behind -d 'Leave no files in the page cache that were not in it before'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l no-drop-behind -d 'Leave the page cache to the system'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l from-medium -d 'Read every byte from its device, bypassing the page cache, or fail the file'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l nice-io -d 'Read only when no other program does (the idle I/O priority class)'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l calibrate -d 'Use the backends that were measured as fastest on this CPU: the default'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -l no-calibrate -d 'Use the backends that are fastest on most CPUs, and do not measure them after a long run'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from create" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Print failures only'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from verify" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from info" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from info" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from help" -f -a "create" -d 'Read all files of a directory and record them in a new generation'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Compare a directory with all generations of its history'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from help" -f -a "info" -d 'Show the generations of a history'
complete -c hashlane -n "__fish_hashlane_using_subcommand mhl; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -s a -l algorithm -d 'Algorithms, separated by commas [default: all that have more than one backend]' -r -f -a "md4\t''
md5\t''
sha1\t''
sha224\t''
sha256\t''
sha384\t''
sha512\t''
sha512-224\t''
sha512-256\t''
sha3-224\t''
sha3-256\t''
sha3-384\t''
sha3-512\t''
shake128\t''
shake256\t''
blake2b\t''
blake2b-256\t''
blake2b-384\t''
blake2b-224\t''
blake2b-160\t''
blake2b-128\t''
blake2s\t''
blake3\t''
sm3\t''
ripemd160\t''
tiger\t''
whirlpool\t''
xxh32\t''
xxh64\t''
xxh3\t''
xxh128\t''
crc32\t''
crc32c\t''
crc64nvme\t''
xor32\t''
c4\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -l budget -d 'Time to spend on measuring, such as 90s or 5m' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -l backend -d 'Backend that computes digests [default: the fastest]' -r -f -a "portable\t''
neon\t''
armv8-sha\t''
armv8-sha512\t''
sha-ni\t''
avx2\t''
avx512\t''
sha-ni-avx512\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -l format -d 'Output format: `text`, a table, or `json`, one object per line' -r -f -a "text\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -l no-save -d 'Do not save the results'
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand backends" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -l budget -d 'Time to spend on measuring, such as 90s or 5m' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -l seed -d 'Seed for file contents and the order of the measurements' -r
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -l cache -d 'Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]' -r -f -a "(__fish_complete_directories)"
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -l progress -d 'Show progress: `auto` on a terminal, `json` as lines on standard error' -r -f -a "auto\t''
always\t''
never\t''
json\t''"
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -l drop-caches -d 'Drop cached names and inodes of all files before each cold reading of small ones'
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -l json -d 'Print the profile as it is saved, with every sample, instead of tables'
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -l no-save -d 'Do not save the profile'
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand tune" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand as" -l list -d 'List the programs'
complete -c hashlane -n "__fish_hashlane_using_subcommand as" -l as-is -d 'Reproduce old quirks that scripts may depend on; must come before NAME'
complete -c hashlane -n "__fish_hashlane_using_subcommand as" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand as" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand install-links" -l force -d 'Replace other files of these names, but not directories'
complete -c hashlane -n "__fish_hashlane_using_subcommand install-links" -s q -l quiet -d 'Do not report what was done'
complete -c hashlane -n "__fish_hashlane_using_subcommand install-links" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c hashlane -n "__fish_hashlane_using_subcommand install-links" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand generate" -s h -l help -d 'Print help'
complete -c hashlane -n "__fish_hashlane_using_subcommand generate" -s V -l version -d 'Print version'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "bench" -d 'Measure how fast this machine reads, writes and digests'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "report" -d 'Show a saved run, make its page, or export its figures'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "compare" -d 'Compare runs and machines, cell by cell'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "sum" -d 'Print the digests of files and trees'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "check" -d 'Verify that files still have the digests that a manifest lists'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "diff" -d 'Report what differs between two manifests, two trees, or one of each'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "convert" -d 'Convert a manifest to another format'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "merge" -d 'Join the manifests of shards into one'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "formats" -d 'List the manifest formats: how each is detected, and what it stores'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "collection" -d 'Register trees of files that are audited over time'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "audit" -d 'Audit collections: what is missing, changed, corrupt or new?'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "status" -d 'Show how the collections are: one sentence, and a row for each'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "history" -d 'Show what is known of a file, and what happened to it'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "events" -d 'List what happened, in one order, and follow it'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "accept" -d 'Accept files as they are now'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "acknowledge" -d 'Say that a finding is known, so that it alarms nobody'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "catalog" -d 'Check, copy and compact the catalogue, and list its seals and what was changed'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "tell" -d 'Tell people what audits find, as the configuration says'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "config" -d 'Check or show the configuration'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "known" -d 'Index sets of known contents, and look up digests'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "bag" -d 'Make bags (BagIt, RFC 8493) and verify them'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "mhl" -d 'Make, verify and show histories of media (ASC MHL 2.0)'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "backends" -d 'Measure how fast each backend of this CPU computes each algorithm'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "tune" -d 'Measure how best to read the device of PATH, and save that for sum and check'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "as" -d 'Act as an older program, with the same options, output and exit codes'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "install-links" -d 'Make links to this program under the names of the older programs'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "generate" -d 'Write man pages or completions into a directory'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and not __fish_seen_subcommand_from bench report compare sum check diff convert merge formats collection audit status history events accept acknowledge catalog tell config known bag mhl backends tune as install-links generate help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "io" -d 'Measure how this machine reads and writes files: block sizes, system calls and threads'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "pipeline" -d 'Measure reading and digesting, alone and together, by block size and by reading thread'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "machine" -d 'Measure programs on copies of a dictionary, and compare this engine with them'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "speed" -d 'Measure digests of messages in memory, by algorithm and message size'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "variant" -d 'Compare programs or builds with each other'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "add" -d 'Register a tree as a collection'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "list" -d 'List the collections'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "show" -d 'Show what a collection is, and how it is'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "set" -d 'Change what a collection promises, and what belongs to it'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "rename" -d 'Give a collection another name'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "relocate" -d 'Say that the tree of a collection lies somewhere else now'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "remove" -d 'Take a collection out of the list'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "restore" -d 'Bring back a collection that was removed'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "purge" -d 'Forget all that is known of a collection, for ever'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "import" -d 'Register digests that come from elsewhere'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "export" -d 'Write what is known of a collection as a manifest, in any format'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from collection" -f -a "report" -d 'Report what stands against collections, what to do about it, and how audits went'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "verify" -d 'Check that the catalogue is whole'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "backup" -d 'Copy the catalogue to a file, while it is in use'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "restore" -d 'Put a backup in the place of the catalogue'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "compact" -d 'Give back the room of what is gone, and bring the file into order'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "seals" -d 'List the seals of runs, the latest first'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from catalog" -f -a "changes" -d 'List what was changed, by whom, when and why: the earliest first'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from tell" -f -a "run" -d 'Tell what is new, and deliver what waits'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from tell" -f -a "list" -d 'List the last messages, the latest first: to whom, about what, and what has become of them'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from tell" -f -a "test" -d 'Send a test to a target: mail, webhook.NAME, heartbeat or textfile'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from tell" -f -a "retry" -d 'Deliver all that was not delivered, now: what waits, and what was given up'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "check" -d 'Check a configuration, and whether its secrets can be read'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "show" -d 'Show what a configuration says, without anything that may be a secret'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "build" -d 'Build an index from sets of known contents'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "info" -d 'Show what an index contains'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "lookup" -d 'Look up digests in an index'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from bag" -f -a "create" -d 'Turn a directory into a bag, in place'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from bag" -f -a "validate" -d 'Verify a bag: its structure, its completeness and every digest in it'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from mhl" -f -a "create" -d 'Read all files of a directory and record them in a new generation'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from mhl" -f -a "verify" -d 'Compare a directory with all generations of its history'
complete -c hashlane -n "__fish_hashlane_using_subcommand help; and __fish_seen_subcommand_from mhl" -f -a "info" -d 'Show the generations of a history'
