import 'reflect-metadata';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Post,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { portOf } from './http-server.js';
import { openPrisma, type Prisma } from './open-prisma.js';
import { serveAsTarget } from './serve-target.js';

const prismaKey = Symbol('prisma');
const tokenKey = Symbol('token');

class NewPlant {
  @IsInt()
  id!: number;

  @IsString()
  name!: string;

  @IsOptional()
  @IsString()
  tag?: string;
}

@Injectable()
class TokenGuard implements CanActivate {
  readonly #expected: string;

  constructor(@Inject(tokenKey) token: string) {
    this.#expected = `Bearer ${token}`;
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    if (request.headers['authorization'] !== this.#expected) throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
class PlantsService {
  readonly #prisma: Prisma;

  constructor(@Inject(prismaKey) prisma: Prisma) {
    this.#prisma = prisma;
  }

  async create({ id, name, tag }: NewPlant) {
    await this.#prisma.plant.create({ data: { id, name, tag: tag ?? null } });
    return { name, tag };
  }
}

@Controller('plants')
@UseGuards(TokenGuard)
class PlantsController {
  readonly #plants: PlantsService;

  constructor(plants: PlantsService) {
    this.#plants = plants;
  }

  @Post()
  @HttpCode(200)
  create(@Body() plant: NewPlant) {
    return this.#plants.create(plant);
  }
}

@Module({})
class AppModule {}

/** NestJS as its documentation shows it: a controller, a service, a guard, the validation pipe, one create a request. */
await serveAsTarget(async ({ databaseUrl, token }) => {
  const prisma = await openPrisma(databaseUrl);
  const module = {
    module: AppModule,
    controllers: [PlantsController],
    providers: [
      PlantsService,
      { provide: prismaKey, useValue: prisma },
      { provide: tokenKey, useValue: token },
    ],
  };
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    logger: false,
  });
  app.useGlobalPipes(new ValidationPipe());

  await app.listen(0, '127.0.0.1');
  return {
    port: await portOf(app.getHttpServer()),
    async stop() {
      await app.close();
      await prisma.$disconnect();
    },
  };
});
