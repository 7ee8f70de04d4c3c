// Preloaded by `--import`: a server listens on loopback and a free port, whatever it asks for, and tells its parent
// which port it got. Published servers take every interface and a fixed port.
import { Server } from 'node:net';
import process from 'node:process';

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(...args) {
  this.once('listening', () => process.send?.({ port: this.address().port }));
  return listen.call(
    this,
    0,
    '127.0.0.1',
    args.find((argument) => typeof argument === 'function'),
  );
};

// Without the tests there is nobody to serve.
process.once('disconnect', () => process.exit(0));
