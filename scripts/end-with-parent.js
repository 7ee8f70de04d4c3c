// Imported before what `npm start` runs. npm starts a shell, which starts this process: when npm is ended by a signal,
// the shell dies of it and passes it on to nobody. A process whose parent has changed was left behind, so it asks
// itself to end, as the signal would have.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, 250).unref();
