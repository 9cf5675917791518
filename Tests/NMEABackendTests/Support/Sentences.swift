import AsyncLocation
import Foundation
import TestSupport

/// A sentence with its checksum and line end.
///
/// - Parameter start: The first character; `!` for a sentence of AIS.
func sentence(_ body: String, start: String = "$") -> String {
  let sum = String(body.utf8.reduce(0 as UInt8, ^), radix: 16, uppercase: true)
  return "\(start)\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
}

func sentences(_ bodies: String...) -> String { bodies.map { sentence($0) }.joined() }

/// The host's time in tests of pure code.
let hostTime = date(2026, 5, 4, 12)

func rmc(
  _ time: String, day: String = "040526", status: String = "A", talker: String = "GP",
  minutes: String = "07.0380", knots: String = "10.0", course: String = "084.4"
) -> String {
  "\(talker)RMC,\(time),\(status),48\(minutes),N,01131.0000,E,\(knots),\(course),\(day),003.1,W,A"
}

func gga(
  _ time: String, quality: Int = 1, talker: String = "GP", minutes: String = "07.0380",
  dilution: String = "1.0"
) -> String {
  "\(talker)GGA,\(time),48\(minutes),N,01131.0000,E,\(quality),08,\(dilution),100.5,M,20.0,M,,"
}

/// A cycle of a receiver: GGA, GSA, GSV and RMC at a second after 12:00 of 2026-05-04.
func cycle(_ second: Int) -> String {
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let time = "12\(two(second / 60 % 60))\(two(second % 60))"
  let minutes = "07.\(1000 + second)"
  return sentences(
    gga(time, minutes: minutes), "GPGSA,A,3,01,02,,,,,,,,,,,2.0,1.0,1.7",
    "GPGSV,1,1,02,01,40,083,46,02,17,308,", rmc(time, minutes: minutes))
}
