import sys
import unittest
from unittest import mock

from harness import FakeClock, fake_torch
from timers import BURST_SECONDS, REPEATS, repeated


class Repeated(unittest.TestCase):
    def test_fills_a_burst_with_the_calls_in_turn(self):
        self.assertEqual(repeated("abc", BURST_SECONDS / 5), list("abcab"))
        self.assertEqual(repeated("abc", 1), list("ab"))
        self.assertEqual(len(repeated("abc", 0)), 200)


class CudaTimer(unittest.TestCase):
    def setUp(self):
        self.clock = FakeClock()
        self.torch = fake_torch(self.clock)
        patch = mock.patch.dict(sys.modules, {"torch": self.torch})
        patch.start()
        self.addCleanup(patch.stop)
        sys.modules.pop("cuda_timer", None)
        import cuda_timer
        self.addCleanup(sys.modules.pop, "cuda_timer")
        for name, value in (("sleep", self.clock.sleep), ("monotonic", lambda: self.clock.now)):
            patch = mock.patch.object(cuda_timer.time, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.timer = cuda_timer.CudaTimer()

    def kernel(self, *seconds):
        """A call that takes each of these times in turn, then the last one for good."""
        left = list(seconds)

        def call():
            self.clock.now += left.pop(0) if len(left) > 1 else left[0]
        return call

    def test_burst_is_the_time_of_one_call(self):
        self.assertAlmostEqual(self.timer.burst([self.kernel(1e-3)]), 1e-3)
        self.assertEqual(self.torch.cuda.graphs[0].replays, 1 + REPEATS)

    def test_slow_first_calls_do_not_count(self):
        self.assertAlmostEqual(self.timer.burst([self.kernel(5, 2e-3)]), 2e-3)

    def test_rests_three_times_as_long_as_it_works(self):
        self.timer.burst([self.kernel(1e-3)])
        graph, = self.torch.cuda.graphs
        working = graph.seconds * (1 + REPEATS) + 3e-3  # and the calls before the graph
        self.assertAlmostEqual(self.clock.now, working + 3 * graph.seconds * REPEATS)

    def test_sustained_counts_the_second_half_of_the_loop(self):
        timer, kernel = self.timer, self.kernel(1e-3)
        replay, count = timer._graph([kernel])
        start = self.clock.now

        def throttled():  # after 1.5 s of 4 s the GPU runs at half its speed
            replay()
            if self.clock.now - start > 1.5:
                replay()
        with mock.patch.object(timer, "_graph", lambda calls: (throttled, count)):
            self.assertAlmostEqual(timer.sustained([kernel], 4), 2e-3)
        self.assertGreaterEqual(self.clock.now - start, 4)

    def test_what_a_call_runs_beside_is_launched_before_each_repeat_and_after_the_graph(self):
        launched = []
        self.timer.burst([self.kernel(1e-3)], before=lambda: launched.append(
            len(self.torch.cuda.graphs)))
        self.assertEqual(launched, [1] * REPEATS)
        self.timer.sustained([self.kernel(1e-3)], 1, before=lambda: launched.append(
            len(self.torch.cuda.graphs)))
        self.assertEqual(launched[REPEATS:], [2])

    def test_kernels_by_turns_are_timed_apart(self):
        kinds = [([self.kernel(1e-3)], 5), ([self.kernel(7, 4e-3)], 2)]
        times = self.timer.by_turns(kinds, 1)
        self.assertEqual([round(time, 9) for time in times], [1e-3, 4e-3])
        first, second = self.torch.cuda.graphs
        self.assertAlmostEqual(first.seconds, 5e-3)
        self.assertAlmostEqual(second.seconds, 8e-3)
        self.assertEqual(first.replays, second.replays)

    def test_each_call_of_a_loop_has_its_time(self):
        times = self.timer.each([self.kernel(1e-3), self.kernel(3e-3)], 0.1)
        self.assertEqual([round(time, 9) for time in times[:4]], [1e-3, 3e-3] * 2)
        self.assertAlmostEqual(sum(times), 0.1, delta=4e-3)


if __name__ == "__main__":
    unittest.main()
