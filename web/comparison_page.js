// The charts of `simtrain compare --report`.

drawRuns(page);
