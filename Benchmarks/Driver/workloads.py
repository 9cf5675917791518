"""The server's input: lines as gpsd 3.22 writes them, of a drive around a block at 10 Hz.

Times only increase, since a manager drops a fix that is older than the last. Every TPV has a fix
and the same altitude three times, so that all clients compute the same checksums.
"""

import math
import os

DEVICE = '"device":"/dev/ttyACM0"'


def time(epoch):
    second, tenth = divmod(epoch, 10)
    minute, hour, day = second // 60, second // 3600, second // 86400
    return f"2026-05-{1 + day:02}T{hour % 24:02}:{minute % 60:02}:{second % 60:02}.{tenth}00Z"


def tpv(n):
    altitude = 28 + math.sin(n / 500)
    return (
        f'{{"class":"TPV",{DEVICE},"status":2,"mode":3,"time":"{time(n)}","leapseconds":18,'
        f'"ept":0.005,"lat":{-34.906 + math.sin(n / 900) / 90:.9f},'
        f'"lon":{138.608 + math.cos(n / 900) / 90:.9f},"altHAE":{altitude - 3:.4f},'
        f'"altMSL":{altitude:.4f},"alt":{altitude:.4f},"epx":2.431,"epy":3.018,"epv":5.290,'
        f'"track":{n / 5 % 360:.4f},"magtrack":{(n / 5 + 8) % 360:.4f},"magvar":7.9,'
        f'"speed":{12 + math.sin(n / 70):.3f},"climb":{math.cos(n / 90):.3f},"eps":0.23,'
        f'"epc":16.02,"geoidSep":-1.662,"eph":1.132,"sep":6.500}}\r\n')


def satellite(n, index):
    return (
        f'{{"PRN":{1 + index},"el":{(n / 50 + 7 * index) % 90:.1f},'
        f'"az":{(n / 20 + 23 * index) % 359:.1f},"ss":{20 + (n + 3 * index) % 25:.1f},'
        f'"used":{"true" if index % 3 else "false"},"gnssid":0,"svid":{1 + index},"health":1}}')


def sky(n, count):
    satellites = ",".join(satellite(n, index) for index in range(count))
    return (
        f'{{"class":"SKY",{DEVICE},"time":"{time(n)}","xdop":0.55,"ydop":0.61,"vdop":1.12,'
        f'"tdop":0.70,"hdop":0.82,"gdop":1.55,"pdop":1.39,"nSat":{count},'
        f'"uSat":{count - (count + 2) // 3},"satellites":[{satellites}]}}\r\n')


def attitude(n):
    return (
        f'{{"class":"ATT",{DEVICE},"time":"{time(n)}","heading":{n / 5 % 360:.2f},'
        f'"pitch":{math.sin(n / 30):.2f},"roll":{math.cos(n / 40):.2f}}}\r\n')


def noise(n):
    return (
        f'{{"class":"GST",{DEVICE},"time":"{time(n)}","rms":7.900,"major":2.100,"minor":1.800,'
        f'"orient":12.500,"lat":{0.3 + n % 7 / 10:.3f},"lon":0.500,"alt":1.200}}\r\n')


def positions(count):
    return (tpv(n) for n in range(count))


def mixture(count):
    """TPV, SKY with 12 to 20 satellites, ATT and GST in the ratio 6 : 2 : 0.4 : 1."""
    n = sent = 0
    while sent < count:
        epoch = [tpv(n)]
        if n % 3 == 0:
            epoch.append(sky(n, 12 + n // 3 % 9))
        if n % 6 == 0:
            epoch.append(noise(n))
        if n % 15 == 0:
            epoch.append(attitude(n))
        yield from epoch[:count - sent]
        sent += len(epoch)
        n += 1


def skies(count, satellites):
    return (sky(n, satellites) for n in range(count))


def write(folder, name, lines):
    """Writes lines to a file, once.

    - Returns: its path, the number of lines, and their mean length in bytes.
    """
    path = os.path.join(folder, name)
    with open(path, "w", newline="", encoding="ascii") as file:
        number = 0
        for line in lines:
            file.write(line)
            number += 1
    return path, number, os.path.getsize(path) / number
