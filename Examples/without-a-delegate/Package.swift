// swift-tools-version: 6.2
import PackageDescription

// `Before` contains the code that the library replaces. It needs Core Location and belongs to no
// target.
let package = Package(
  name: "without-a-delegate",
  dependencies: [.package(name: "async-location", path: "../..")],
  targets: [
    .target(
      name: "Courier",
      dependencies: [.product(name: "AsyncLocation", package: "async-location")]),
    .testTarget(
      name: "CourierTests",
      dependencies: [
        "Courier",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "MockBackend", package: "async-location"),
      ]),
  ]
)
