import AsyncLocation
public import FoundationEssentials

/// gpsd's ATT: measurements of a compass, a gyroscope or a multi-antenna receiver. Also its IMU,
/// one of several such measurements within an epoch.
public struct ATT: FieldReport {
  /// The fields of ATT and IMU.
  public struct Fields: Sendable {
    /// The time of the measurement, by the sensor's clock.
    public let time = ReportField<Date>("time")
    /// The heading in degrees clockwise from true north, 0...360.
    public let heading = ReportField<Double>("heading", 0...360, in: .degrees)
    /// The heading in degrees clockwise from magnetic north, 0...360.
    public let magneticHeading = ReportField<Double>("mheading", 0...360, in: .degrees)
    /// The pitch in degrees.
    public let pitch = ReportField<Double>("pitch", -360...360, in: .degrees)
    /// The roll in degrees.
    public let roll = ReportField<Double>("roll", -360...360, in: .degrees)
    /// The yaw in degrees.
    public let yaw = ReportField<Double>("yaw", -360...360, in: .degrees)
    /// The rate of turn in degrees per minute, or in the receiver's own unit.
    public let rateOfTurn = ReportField<Double>("rot")
    /// The downward angle of the magnetic field in degrees, or in the sensor's own unit.
    public let dip = ReportField<Double>("dip")
    /// The strength of the magnetic field in the sensor's unit.
    public let magneticLength = ReportField<Double>("mag_len")
    /// The X component of the magnetic field in the sensor's unit.
    public let magneticX = ReportField<Double>("mag_x")
    /// The Y component of the magnetic field in the sensor's unit.
    public let magneticY = ReportField<Double>("mag_y")
    /// The Z component of the magnetic field in the sensor's unit.
    public let magneticZ = ReportField<Double>("mag_z")
    /// The magnitude of the acceleration in the sensor's unit.
    public let accelerationLength = ReportField<Double>("acc_len")
    /// The X component of the acceleration in the sensor's unit.
    public let accelerationX = ReportField<Double>("acc_x")
    /// The Y component of the acceleration in the sensor's unit.
    public let accelerationY = ReportField<Double>("acc_y")
    /// The Z component of the acceleration in the sensor's unit.
    public let accelerationZ = ReportField<Double>("acc_z")
    /// The rotation about the X axis in the sensor's unit.
    public let gyroscopeX = ReportField<Double>("gyro_x")
    /// The rotation about the Y axis in the sensor's unit.
    public let gyroscopeY = ReportField<Double>("gyro_y")
    /// The rotation about the Z axis in the sensor's unit.
    public let gyroscopeZ = ReportField<Double>("gyro_z")
    /// The gyroscope's temperature in degrees Celsius.
    public let gyroscopeTemperature = ReportField<Double>("gyro_temp", in: .celsius)
    /// The sensor's temperature in degrees Celsius.
    public let temperature = ReportField<Double>("temp", in: .celsius)
    /// The depth of water in metres.
    public let depth = ReportField<Double>("depth", in: .metres)
    /// The time by the sensor's clock, in its own unit.
    public let timeTag = ReportField<Int>("timeTag", .count)
    /// The status of the baseline between antennas, with the codes of ``TPV/Fields/status``.
    public let baselineStatus = ReportField<Int>("baseS", 0...255)
    /// The east component of the baseline in metres.
    public let baselineEast = ReportField<Double>("baseE", in: .metres)
    /// The north component of the baseline in metres.
    public let baselineNorth = ReportField<Double>("baseN", in: .metres)
    /// The upward component of the baseline in metres.
    public let baselineUp = ReportField<Double>("baseU", in: .metres)
    /// The length of the baseline in metres.
    public let baselineLength = ReportField<Double>("baseL", .nonNegative, in: .metres)
    /// The direction of the baseline in degrees, 0...360.
    public let baselineCourse = ReportField<Double>("baseC", 0...360, in: .degrees)
    /// The sensor that sent the report.
    public let device = ReportField<String>.device("device")
    /// The sensor's code for the magnetometer status, such as "N" for normal.
    public let magneticStatus = ReportField<String>("mag_st")
    /// The sensor's code for the pitch status.
    public let pitchStatus = ReportField<String>("pitch_st")
    /// The sensor's code for the roll status.
    public let rollStatus = ReportField<String>("roll_st")
    /// The sensor's code for the yaw status.
    public let yawStatus = ReportField<String>("yaw_st")
    /// The sensor's message from which gpsd made the report, such as "UBX-ESF-MEAS"; newer releases
    /// of gpsd.
    public let message = ReportField<String>("msg")
  }

  @usableFromInline
  var storage = FieldStorage<29, 6, NoLists>()

  // Inlinable: other modules would otherwise call the unspecialized code of `StoredReport`.
  @inlinable @inline(__always)
  public func _number(at index: Int) -> Double? { storage.numbers[index] }
}

extension ATT: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "ATT" }
  static var classNames: [String] { ["ATT", "IMU"] }
  static var orderSlot: Int { 4 }
}
