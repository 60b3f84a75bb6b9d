// The charts of `simtrain metrics --report`.

drawRuns(page);
