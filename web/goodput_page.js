// The charts of `simtrain goodput --report`.

drawJob(page.job);
