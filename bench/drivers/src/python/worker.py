"""Does what a line of JSON asks for and answers with one: the Python that `cargo xtask python` times.

It goes on from line to line, so that starting the interpreter, importing and starting Spark are in no time but their own.
"""

import hashlib
import json
import os
import sys
import time

import hashlane
import pyarrow

MESSAGES = 100_000
LENGTH = 4096


class Worker:
    def __init__(self):
        self.spark = None
        self.messages = []

    def loop(self):
        """hashlib in a loop, over messages in memory."""
        return self.many(lambda: [hashlib.md5(message).digest() for message in self.messages])

    def digest_many(self):
        return self.many(lambda: hashlane.digest_many(self.messages, "md5"))

    def many(self, digest):
        if not self.messages:
            self.messages = [os.urandom(LENGTH) for _ in range(MESSAGES)]
        start = time.perf_counter()
        digests = digest()
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "proof": hashlib.sha256(b"".join(digests)).hexdigest()}

    def sum_files(self, path):
        """Takes all batches, as whoever writes them to a table does."""
        start = time.perf_counter()
        batches = list(hashlane.sum_files(path, ["sha256"]))
        seconds = time.perf_counter() - start
        return {"seconds": seconds, **self.proof(pyarrow.Table.from_batches(batches))}

    def start_spark(self):
        """Two executors in processes of their own, with a core each."""
        start = time.perf_counter()
        from pyspark.sql import SparkSession

        os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("hashlane")
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "2g",
            "spark.executor.memory": "1g",
            "spark.ui.enabled": "false",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.spark = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        # The executors register a moment later than the session is there.
        self.spark.range(2).repartition(2).count()
        return {"seconds": time.perf_counter() - start, "version": self.spark.version}

    def fingerprint(self, path):
        """Every row is made and brought to an executor; nobody keeps it."""
        start = time.perf_counter()
        self.frame(path).write.format("noop").mode("overwrite").save()
        return {"seconds": time.perf_counter() - start}

    def fingerprint_rows(self, path):
        """The same, and the rows themselves, to be compared."""
        return self.proof(self.frame(path).toArrow())

    def frame(self, path):
        from hashlane.spark import fingerprint

        return fingerprint(self.spark, path)

    def proof(self, table):
        """What all contenders have to agree on: a digest of the lines that the command prints, sorted."""
        assert set(table.column("outcome").unique().to_pylist()) <= {"read"}, "not all files could be read"
        names, digests = table.column("path").to_pylist(), table.column("sha256").to_pylist()
        lines = sorted(
            b"%s  %s\n" % (digest.hex().encode(), bytes(name))
            for name, digest in zip(names, digests, strict=True)
        )
        return {"files": len(lines), "proof": hashlib.sha256(b"".join(lines)).hexdigest()}


def main():
    # What others print, such as Spark, goes elsewhere.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        asked = json.loads(line)
        answer = getattr(worker, asked.pop("do"))(**asked)
        print(json.dumps(answer), file=answers, flush=True)


main()
