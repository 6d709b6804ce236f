import type { FastifyInstance } from 'fastify';
import type { Deps } from '../http/deps.ts';
import type { RateLimiter } from '../http/rate-limit.ts';

export function pageRoutes(_pages: FastifyInstance, _deps: Deps, _limiter: RateLimiter): void {}
