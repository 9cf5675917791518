import LocationFleet
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Values that are written to a real server and read back.
@Suite(.needsDatabase, .inTurn)
struct BinaryFormatTests {
  @Test("numbers, texts and bytes round-trip")
  func values() async throws {
    let connection = try await RealDatabase.shared().database()
    try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      for number in [0, 1, -1, .max, .min] as [Int64] {
        for double in [0, -0.0, 1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity] {
          var parameters = Parameters()
          parameters.add(number)
          parameters.add(double)
          parameters.add("Zürich \u{1F6B2}")
          parameters.add([0, 255, 10] as [UInt8]?)
          parameters.add(nil as [UInt8]?)
          parameters.add(true)
          let count = try database.rows(
            "SELECT $1::bigint, $2::float8, $3::text, $4::bytea, $5::bytea, $6::boolean", parameters
          ) { (row) throws(PostgreSQLFailure) in
            #expect(try row.integer() == number)
            #expect(try row.double().bitPattern == double.bitPattern)
            #expect(try row.text() == "Zürich \u{1F6B2}")
            #expect(try row.bytes() == [0, 255, 10])
            #expect(try row.optionalBytes() == nil)
            #expect(try row.bool())
            #expect(throws: PostgreSQLFailure.self) { _ = try row.integer() }
          }
          #expect(count == 1)
        }
      }
    }
  }

  @Test("arrays round-trip, also empty ones and null")
  func arrays() async throws {
    let connection = try await RealDatabase.shared().database()
    try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      for count in [0, 1, 3, 20_000] {
        var parameters = Parameters()
        parameters.add((0..<count).map(Int64.init))
        parameters.add((0..<count).map { $0.isMultiple(of: 2) ? [UInt8($0 % 256)] : nil })
        parameters.add((0..<count).map(String.init))
        var next = 0
        try database.rows(
          """
          SELECT number, bytes, text FROM unnest($1::bigint[], $2::bytea[], $3::text[])
            AS row (number, bytes, text)
          """, parameters
        ) { (row) throws(PostgreSQLFailure) in
          #expect(try row.integer() == Int64(next))
          #expect(
            try row.optionalBytes() == (next.isMultiple(of: 2) ? [UInt8(next % 256)] : nil))
          #expect(try row.text() == "\(next)")
          next += 1
        }
        #expect(next == count)
      }
    }
  }

  @Test("a copy that is larger than what a socket holds arrives whole")
  func largeCopy() async throws {
    let connection = try await RealDatabase.shared().database()
    try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      try database.script("CREATE TABLE large (number bigint, bytes bytea)")
      var rows = CopyBuffer()
      for number in 0..<200 as Range<Int64> {
        rows.addRow(fieldCount: 2)
        rows.add(number)
        rows.add(Array(repeating: UInt8(number), count: 100_000))
      }
      try database.copy(rows, into: "large")
      #expect(try database.number("SELECT sum(length(bytes))::bigint FROM large") == 20_000_000)
    }
  }

  @Test("a statement that is refused names the reason, and no row")
  func refusal() async throws {
    let connection = try await RealDatabase.shared().database()
    try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      try database.script(
        "CREATE TABLE once (number bigint PRIMARY KEY); INSERT INTO once VALUES (47)")
      let error = #expect(throws: PostgreSQLFailure.self) {
        try database.run("INSERT INTO once VALUES (47)")
      }
      #expect(error?.kind == .refused(code: "23505"))
      #expect(error?.message.contains("47") == false)
    }
  }

  @Test("a call to a server that does not answer in time throws")
  func silence() async throws {
    let connection = try await RealDatabase.shared().database()
    try await onThread {
      let database = try Connection(connection, responseTimeout: .milliseconds(50))
      let error = #expect(throws: PostgreSQLFailure.self) {
        try database.run("SELECT pg_sleep(600)")
      }
      #expect(error?.kind == .timeout)
    }
  }
}
