"""A straight drive: its receiver behind a gpsd, its areas, and the numbers of its locations."""

import datetime
import json
import socket
import threading
import time

METERS_A_FIX = 30
START = datetime.datetime(2026, 5, 4, tzinfo=datetime.timezone.utc)


def latitude(meters):
    return meters / 110_574


def moment(number):
    return (START + datetime.timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def number_at(text):
    at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round((at - START).total_seconds())


def write_fences(path, count, spacing):
    """Areas with a radius of 1 km along the drive, `spacing` meters apart."""
    features = [{
        "type": "Feature", "id": f"fence {number}", "properties": {"radius": 1_000},
        "geometry": {"type": "Point", "coordinates": [9.0, latitude((number + 0.5) * spacing)]},
    } for number in range(count)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"type": "FeatureCollection", "features": features}, file)


class Receiver:
    """A gpsd whose only receiver is on a drive. It stands still while no client is connected.

    `repeated` is how many of the last fixes each new client receives again.
    """

    def __init__(self, count, pause, repeated=0):
        self.count, self.pause, self.repeated = count, pause, repeated
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.last = 0
        self.watched = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            try:
                self.feed(client)
            except OSError:
                pass  # Killed.
            client.close()
            self.watched.clear()

    def feed(self, client):
        client.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,'
                       b'"proto_minor":14}\n')
        client.recv(4_096)
        client.sendall(b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/drive",'
                       b'"driver":"NMEA0183","activated":"2026-05-04T00:00:00.000Z"}]}\n'
                       b'{"class":"WATCH","enable":true,"json":true}\n')
        self.watched.set()
        number = max(0, self.last - self.repeated)
        while number < self.count:
            client.sendall((json.dumps({
                "class": "TPV", "device": "/dev/drive", "mode": 3, "time": moment(number),
                "lat": latitude(number * METERS_A_FIX), "lon": 9.0, "eph": 5.0, "speed": 30.0,
            }) + "\n").encode())
            number += 1
            if number > self.last:
                self.last = number
                time.sleep(self.pause)
        client.recv(1)  # Stays connected until the client ends.
