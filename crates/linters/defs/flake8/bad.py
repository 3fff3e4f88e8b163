import time

from pydantic import BaseModel


class Model(BaseModel):
    names: list[str] = []
    model_config = {"extra": 1}


async def wait() -> None:
    time.sleep(1)
