"""stub"""


class Metric:
    @classmethod
    def parse(cls, s):
        return s


def evaluate(*a, **k):
    return {a[3][0]: 0.5}


def pair_accuracy(y, score, qid=None, sample_weight=None):
    return 1.0
