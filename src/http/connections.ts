/**
 * Connections of clients: each has deadlines, its requests are answered one after the other, and the bytes that clients
 * have not read are bounded in all. A stop waits for requests that have begun, for a bounded time.
 */
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  Server,
  ServerResponse,
} from 'node:http';
import { BlockList, type Socket, type SocketAddress } from 'node:net';
import { clientOf } from '../lib/client-address.ts';
import { createCounts } from '../lib/counts.ts';
import { http } from '../lib/node-http.ts';
import { unsentOf } from './pieces.ts';

const defaults = {
  /** Time for the head of a request, from the first byte or from the beginning of the connection. */
  headMs: 10_000,
  /** Time for a whole request. */
  requestMs: 30_000,
  /** Longer than the 60 s of common load balancers, so that they end idle connections first. */
  idleMs: 72_000,
  /** Time for a client to read an answer that is ready. */
  answerMs: 30_000,
  /** Time for a client to read why its bytes were no request, or why the rest of its body is not read. */
  lingerMs: 1_000,
  /** Time that a stop gives to requests whose head is not whole yet. */
  headDrainMs: 2_000,
  /** Time that a stop gives to requests that have begun. */
  drainMs: 10_000,
  lookMs: 500,
  /** Requests of one connection that may wait for the answers before theirs. Few clients send more than one. */
  maxWaiting: 4,
  /**
   * The same of a client by its address, and of all: each takes some 6 KiB, and with its answer a tenth of a millisecond,
   * in which others wait.
   */
  maxWaitingOfClient: 64,
  maxWaitingInAll: 1_000,
  /** Bytes that clients have not read yet, in all. Beyond, the connections with most of them end. */
  maxUnreadBytes: 64 * 2 ** 20,
};

export type ConnectionOptions = Partial<typeof defaults>;

type Handlers = {
  readonly handle: RequestListener;
  readonly refuse: RequestListener;
  /** Says whether an address may have a further connection. */
  readonly mayConnect?: (address: string) => boolean;
};

type Exchange = readonly [IncomingMessage, ServerResponse];
type Connection = {
  readonly client: string;
  /** The request that came last, until it is whole and answered. A look at all connections forgets it then. */
  latest: Exchange | null;
  /** True if the client was told that nothing more is taken of it. */
  isRefused: boolean;
  /** The answer of the request that was begun last; a look at all connections forgets those that are closed. */
  answering: ServerResponse | null;
  readonly waiting: Exchange[];
  readyAt: number | null;
};

/** The answer that is being made or read. */
const answeringOn = ({ answering }: Connection): ServerResponse | null =>
  answering === null || answering.closed ? null : answering;

/**
 * True if nobody knows where the body ends (RFC 9112 section 6.3). The parser hands over the head of such a request, and
 * then finds that its bytes are none: an answer to the head would come before that to the bytes.
 */
function hasNoEnd({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && !/(^|,)\s*chunked\s*$/i.test(coding);
}

/** Bytes that Node.js reads at once. A body that takes more of them is long. */
export const READ_BYTES = 64 * 1024;

/** True if the body takes several reads, or nobody knows how long it is. */
export function mayBeLong({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] !== undefined;
  return Number(length) > READ_BYTES;
}

function stopReading(socket: Socket): void {
  socket.resume = () => socket;
  // Behind the ticks in which reading goes on that has begun.
  process.nextTick(() => socket.pause());
}

/**
 * Has the parser fail at the next head. Node.js hands over all requests of the bytes that it has read, up to 1,600 small
 * ones, whatever becomes of the first; each costs as much as a short answer. It has no other way to stop it.
 */
function stopParsing(socket: Socket & { readonly parser?: { onIncoming: unknown } }): void {
  if (socket.parser) socket.parser.onIncoming = () => -1;
}

/**
 * Asks about a connection before it is one: Node.js closes what its block list names, and makes neither a socket nor a
 * parser for it, which costs several times as much.
 */
class Door extends BlockList {
  readonly #mayConnect: (address: string) => boolean;

  constructor(mayConnect: (address: string) => boolean) {
    super();
    this.#mayConnect = mayConnect;
  }

  override check(address: string | SocketAddress): boolean {
    return !this.#mayConnect(typeof address === 'string' ? address : address.address);
  }
}

export function guardConnections(options: ConnectionOptions = {}) {
  const limits = { ...defaults, ...options };
  const connections = new Map<Socket, Connection>();
  const waitingOf = createCounts();
  let waitingInAll = 0;
  let server: Server | undefined;

  /**
   * A server that begins a request when the client has read the answers before it. `refuse` answers one that may not wait,
   * which is the last of its connection.
   */
  function createGuardedServer({ handle, refuse, mayConnect = () => true }: Handlers): Server {
    const { headMs, requestMs, idleMs, lookMs } = limits;
    server = http.createServer({
      headersTimeout: headMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: lookMs,
    });
    server.setTimeout(idleMs);
    Object.assign(server, { blockList: new Door(mayConnect) });

    /**
     * Ends a connection whose request is answered before its long body is there. Node.js would read the rest, gigabytes
     * of it, to throw it away; or close at once, and the client would lose the answer. Each read is a new buffer, and the
     * garbage collector, which holds up everybody, runs for few megabytes of them.
     */
    function leaveUnread(request: IncomingMessage): void {
      if (request.complete) return;
      request.pause();
      // Node.js leaves the rest to a caller that has read something, and reads it itself otherwise, or where much waits.
      request.read(0);
      stopReading(request.socket);
      endUnreadConnection(request.socket);
    }

    /** Ends a connection with unread bytes later than Node.js would, so that the client gets what was sent last. */
    function endUnreadConnection(socket: Socket): void {
      socket.destroySoon = () => {};
      socket.end();
      setTimeout(() => socket.destroy(), limits.lingerMs).unref();
    }

    /** Refuses a request because too many wait, and all that come behind it on its connection. */
    function refuseFrom(connection: Connection, [request, response]: Exchange): void {
      const { socket } = request;
      connection.isRefused = true;
      stopParsing(socket);
      stopReading(socket);
      response.prependOnceListener('finish', () => endUnreadConnection(socket));
      response.shouldKeepAlive = false;
      refuse(request, response);
    }

    function mayWait({ client, waiting }: Connection): boolean {
      if (waiting.length >= limits.maxWaiting || waitingInAll >= limits.maxWaitingInAll) return false;
      return waitingOf.of(client) < limits.maxWaitingOfClient;
    }

    function countWaiting({ client }: Connection, change: number): void {
      waitingOf.add(client, change);
      waitingInAll += change;
    }

    function begin(connection: Connection, [request, response]: Exchange): void {
      connection.answering = response;
      connection.readyAt = null;
      // Ahead of what Node.js does then.
      if (mayBeLong(request)) response.prependOnceListener('finish', () => leaveUnread(request));
      handle(request, response);
    }

    /** Begins with what waits, one by one. Only then anybody listens: most requests come when nothing is answered. */
    function beginNext(socket: Socket, connection: Connection): void {
      const next = connection.waiting.shift();
      if (next === undefined) return;
      countWaiting(connection, -1);
      if (socket.destroyed) return;
      if (connection.waiting.length > 0) next[1].once('close', () => beginNext(socket, connection));
      begin(connection, next);
    }

    server.on('connection', (socket) => {
      const connection: Connection = {
        client: clientOf(socket.remoteAddress),
        latest: null,
        isRefused: false,
        answering: null,
        waiting: [],
        readyAt: null,
      };
      connections.set(socket, connection);
      socket.once('close', () => {
        connections.delete(socket);
        countWaiting(connection, -connection.waiting.length);
        connection.waiting.length = 0;
      });
    });
    server.on('request', (request, response) => {
      if (hasNoEnd(request)) return;
      const { socket } = request;
      const connection = connections.get(socket);
      if (connection === undefined || connection.isRefused) return;
      connection.latest = [request, response];
      const { waiting } = connection;
      const before = answeringOn(connection);
      if (before === null && waiting.length === 0) begin(connection, [request, response]);
      else if (!mayWait(connection)) refuseFrom(connection, [request, response]);
      else {
        countWaiting(connection, 1);
        if (waiting.push([request, response]) === 1)
          before?.once('close', () => beginNext(socket, connection));
      }
    });
    // Node.js would answer an unknown `Expect` itself, past all limits; RFC 9110 section 10.1.1 lets a server ignore it.
    server.on('checkExpectation', (request, response) => server?.emit('request', request, response));
    // One that never listens is never closed, either.
    const made = server;
    made.once('listening', () => {
      const looking = setInterval(endUnread, lookMs).unref();
      made.once('close', () => clearInterval(looking));
    });
    return made;
  }

  /** Ends connections whose client does not read, and those with most unread bytes while there are too many in all. */
  function endUnread(): void {
    const now = performance.now();
    let unreadBytes = 0;
    const behind: { readonly socket: Socket; readonly bytes: number }[] = [];
    for (const [socket, connection] of connections) {
      connection.answering = answeringOn(connection);
      if (connection.latest?.[0].complete && connection.latest[1].closed) connection.latest = null;
      const unsentBytes = connection.answering === null ? 0 : unsentOf(connection.answering);
      if (connection.answering?.writableEnded || unsentBytes > 0) connection.readyAt ??= now;
      else connection.readyAt = null;
      if (connection.readyAt !== null && now - connection.readyAt > limits.answerMs) socket.destroy();
      else if (socket.writableLength > 0) {
        // Pieces for a client that reads wait for their turn alone, and are not counted.
        const bytes = socket.writableLength + unsentBytes;
        unreadBytes += bytes;
        behind.push({ socket, bytes });
      }
    }
    if (unreadBytes <= limits.maxUnreadBytes) return;
    behind.sort((one, other) => other.bytes - one.bytes);
    for (const { socket, bytes } of behind) {
      if (unreadBytes <= limits.maxUnreadBytes) return;
      unreadBytes -= bytes;
      socket.destroy();
    }
  }

  /** Ends connections that are idle, and the others with their answers or when their time is over. */
  function drain(): void {
    const { headDrainMs, drainMs, lookMs } = limits;
    const start = performance.now();
    const ending = setInterval(end, Math.min(50, lookMs));
    function end(): void {
      const elapsedMs = performance.now() - start;
      server?.closeIdleConnections();
      for (const [socket, connection] of connections) {
        if (elapsedMs >= (answeringOn(connection) === null ? headDrainMs : drainMs)) socket.destroy();
      }
      if (connections.size === 0) clearInterval(ending);
    }
    end();
  }

  /**
   * Ends a connection whose bytes are no request, or came too late, and tells the client why: instead of the answer to
   * the request that is not whole, or behind those to the requests before. Nothing that comes after that is begun.
   */
  function endAfter(socket: Socket, lastWords: (headers: IncomingHttpHeaders) => string): void {
    const connection = connections.get(socket);
    if (connection?.isRefused) return;
    const latest = connection?.latest ?? null;
    if (connection) connection.isRefused = true;
    function say(headers: IncomingHttpHeaders): void {
      socket.end(lastWords(headers));
      setTimeout(() => socket.destroy(), limits.lingerMs).unref();
    }
    function sayOfNone(): void {
      say({});
      // A connection that is closed with unread input loses what was sent last.
      socket.resume();
    }
    if (connection === undefined || latest === null) {
      sayOfNone();
      return;
    }
    const [request, response] = latest;
    if (request.complete) {
      if (response.closed) sayOfNone();
      else response.once('close', sayOfNone);
    } else if (answeringOn(connection) === response && !response.headersSent) {
      // Were the rest read, what the client is told was refused would be done.
      socket.pause();
      say(request.headers);
    } else socket.destroy();
  }

  /**
   * Calls back for a request whose time is over, unless all of it is there: a process that stood still looks at its
   * clock before it reads what came meanwhile.
   */
  function whenLate(socket: Socket, isLate: () => void): void {
    const connection = connections.get(socket);
    const before = connection?.latest ?? null;
    const isBody = before !== null && !before[0].complete;
    setImmediate(() => {
      const latest = connection?.latest ?? null;
      if (latest === null || !latest[0].complete || (latest === before && !isBody)) isLate();
    });
  }

  return { createGuardedServer, drain, endAfter, whenLate };
}
